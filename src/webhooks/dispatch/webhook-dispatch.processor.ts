import { InjectQueue, Processor } from '@nestjs/bullmq';
import { ENVIRONMENTS } from '#contracts';
import { SignalProcessor } from '../../core/work/signals/signal-processor';
import { SignalQueue } from '../../core/work/signals/signal-queue';
import { Dispatcher } from './dispatcher.service';

/** The queue of signals that say: something may be due to a receiver. Each signal names its environment. */
export const WEBHOOK_DISPATCH = 'webhook-dispatch';

/** Has the dispatcher claim what is due. */
@Processor(WEBHOOK_DISPATCH)
export class WebhookDispatchProcessor extends SignalProcessor {
  constructor(
    @InjectQueue(WEBHOOK_DISPATCH) queue: SignalQueue,
    private readonly dispatcher: Dispatcher,
  ) {
    super(queue);
  }

  protected override poll(kind: string): void {
    // `gateway webhooks resume`, and an instance of the previous version, mean both.
    for (const environment of ENVIRONMENTS)
      if (kind === environment || kind === WEBHOOK_DISPATCH) this.dispatcher.poll(environment);
  }
}
