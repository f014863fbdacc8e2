import { Worker, type Job, type Processor, type WorkerOptions } from 'bullmq';
import { closeInTime, isOnPostgres, RETRY_MS, signalBackend } from './signal-backend';

/** Takes the signals of a queue. */
export class SignalWorker extends Worker {
  constructor(name: string, processor: Processor, options: WorkerOptions) {
    const own: Partial<WorkerOptions> = {
      runRetryDelay: RETRY_MS,
      // Seconds. NOTIFY wakes it; this only bounds how long a lost one goes unnoticed. On Redis it is how long a blocking
      // read lasts, which after a stop without Redis is the last timer to go.
      drainDelay: isOnPostgres(options) ? 300 : 5,
    };
    super(name, processor, { ...own, ...options }, signalBackend);
  }

  /** Unless told otherwise, it rests this long after an error. */
  override delay(...[ms = RETRY_MS, ...rest]: Parameters<Worker['delay']>): Promise<void> {
    return super.delay(ms, ...rest);
  }

  /** Cuts off what it does: a job that was not finished wakes a worker once more, later. */
  override close(): Promise<void> {
    return closeInTime(this, super.close(true));
  }

  /**
   * BullMQ waits after a refused connection, but asks again at once after any other error: hundreds of connections a
   * second to a PostgreSQL that is starting up (57P03), or of commands to a Redis that has become read-only.
   */
  protected override async moveToActive(...request: [token: string, name?: string]): Promise<Job> {
    try {
      return await super.moveToActive(...request);
    } catch (error) {
      if (!this.closing) await this.delay();
      throw error;
    }
  }
}
