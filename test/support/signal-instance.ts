import { BullModule, InjectQueue, Processor } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueOptions, type SignalBackendOptions } from '../../src/core/work/signals/signal-backend';
import { SignalProcessor } from '../../src/core/work/signals/signal-processor';
import { SignalQueue } from '../../src/core/work/signals/signal-queue';

const QUEUE = 'work';

@Processor(QUEUE)
class CountingProcessor extends SignalProcessor {
  polls = 0;

  constructor(@InjectQueue(QUEUE) readonly signals: SignalQueue) {
    super(signals);
  }

  protected override poll(): void {
    this.polls++;
  }
}

const running = new Set<SignalInstance>();

/** One instance of a deployment as far as its queue is concerned: it counts how often it looks for work. */
export class SignalInstance {
  private constructor(
    private readonly app: INestApplicationContext,
    private readonly processor: CountingProcessor,
  ) {}

  static async start(options: SignalBackendOptions): Promise<SignalInstance> {
    const module = await Test.createTestingModule({
      imports: [
        BullModule.forRootAsync({ useFactory: () => queueOptions(options) }),
        BullModule.registerQueue({ name: QUEUE }),
      ],
      providers: [CountingProcessor],
    }).compile();
    const instance = new SignalInstance(await module.init(), module.get(CountingProcessor));
    running.add(instance);
    return instance;
  }

  get polls(): number {
    return this.processor.polls;
  }

  get queue(): SignalQueue {
    return this.processor.signals;
  }

  /** Signals until the fact is there: a queue that has just opened may have missed the first one. */
  async signalUntil(fact: () => boolean): Promise<void> {
    while (!fact()) {
      this.queue.signal('dispatch');
      await sleep(10);
    }
  }

  async stop(): Promise<void> {
    running.delete(this);
    await this.app.close();
  }
}

/** Stops those that a test has left running. */
export async function stopSignalInstances(): Promise<void> {
  await Promise.all([...running].map((instance) => instance.stop()));
}
