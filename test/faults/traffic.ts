import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '#contracts';
import type { GatewayProcess } from '../support/process';
import type { Deployment } from './deployment';

/** How one send of the traffic went. */
export interface Answer {
  /** Undefined where the connection broke. */
  status: number | undefined;
  ms: number;
}

/** Sends at a steady pace, whatever is answered: a fault in the middle meets requests at every stage. */
export class Traffic {
  readonly answers: Answer[] = [];
  private readonly calls: Promise<void>[] = [];
  private readonly running: Promise<void>;
  private ended = false;

  constructor(
    private readonly deployment: Deployment,
    private readonly instances: readonly GatewayProcess[],
    private readonly everyMs = 40,
    private readonly recipient = (index: number): string => `ada-${index % 10}`,
  ) {
    this.running = this.run();
  }

  /** Resolves when everything that was sent has been answered, or never will be. */
  async stop(): Promise<Answer[]> {
    this.ended = true;
    await this.running;
    await Promise.all(this.calls);
    return this.answers;
  }

  private async run(): Promise<void> {
    for (let index = 0; !this.ended; index++) {
      this.calls.push(this.call(index));
      await sleep(this.everyMs);
    }
  }

  private async call(index: number): Promise<void> {
    const startedAt = performance.now();
    const instance = this.instances[index % this.instances.length]!;
    const status = await this.deployment.send(instance, this.recipient(index), `hello ${newUuid()}`);
    this.answers.push({ status, ms: performance.now() - startedAt });
  }
}
