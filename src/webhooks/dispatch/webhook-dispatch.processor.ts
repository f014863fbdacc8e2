import { InjectQueue, Processor } from '@nestjs/bullmq';
import { SignalProcessor } from '../../core/jobs/signal-processor';
import { SignalQueue } from '../../core/jobs/signal-queue';
import { Dispatcher } from './dispatcher.service';

/** The queue of signals that say: something may be due to a receiver. */
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

  protected override poll(): void {
    this.dispatcher.poll();
  }
}
