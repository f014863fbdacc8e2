import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

/** Whether jobs can be added. All queues share one server, so one log line is enough. */
@Injectable()
export class QueueHealth implements OnModuleDestroy {
  private readonly logger = new Logger('Queues');
  private isUnavailable = false;
  private isStopping = false;

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Warns once, until a job is added again. */
  failed(error: unknown): void {
    if (this.isUnavailable || this.isStopping) return;
    this.isUnavailable = true;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    this.logger.warn(
      `The queues are unavailable (${reason}): each instance starts its own work and sweeps for the rest`,
    );
  }

  recovered(): void {
    if (!this.isUnavailable) return;
    this.isUnavailable = false;
    this.logger.log('The queues have recovered');
  }
}
