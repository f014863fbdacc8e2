import { BullModule, OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Job } from 'bullmq';
import { SignalQueue } from './signal-queue';
import { SignalWorker } from './signal-worker';

// Here, so that they are set before the module of any such processor registers its queue.
BullModule.queueClass = SignalQueue;
BullModule.workerClass = SignalWorker;

/** Has work looked for when this process signals it, and when a job says that another one did. */
export abstract class SignalProcessor
  extends WorkerHost<SignalWorker>
  implements OnApplicationBootstrap, OnModuleDestroy
{
  private started = false;

  constructor(private readonly queue: SignalQueue) {
    super();
    queue.onSignal = (kind) => this.receive(kind);
  }

  /** Looks soon for work of a kind, once for all who ask. Must not throw. */
  protected abstract poll(kind: string): void;

  /** What is signalled earlier, the first sweep of its owner finds. */
  onApplicationBootstrap(): void {
    this.started = true;
  }

  process({ name }: Job): Promise<void> {
    this.receive(name);
    return Promise.resolve();
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    if (!this.worker.closing) this.queue.failed(error);
  }

  /** From now on another instance takes the signals: it can act on them. */
  onModuleDestroy(): void {
    if (this.started) void this.worker.close();
  }

  private receive(kind: string): void {
    if (this.started) this.poll(kind);
  }
}
