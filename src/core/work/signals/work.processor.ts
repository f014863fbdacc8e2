import { InjectQueue, Processor } from '@nestjs/bullmq';
import { DueWork, WORK_QUEUE } from './due-work.service';
import { SignalProcessor } from './signal-processor';
import { SignalQueue } from './signal-queue';

/** Signals of due work: each job is named by its kind. */
@Processor(WORK_QUEUE)
export class WorkProcessor extends SignalProcessor {
  constructor(
    @InjectQueue(WORK_QUEUE) queue: SignalQueue,
    private readonly work: DueWork,
  ) {
    super(queue);
  }

  protected override poll(kind: string): void {
    this.work.poll(kind);
  }
}
