import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Configuration } from '../config/configuration';
import { LocalPacer } from '../rate-limiting/local-pacer';

/** A test post takes a turn this close, in milliseconds, or asks again: it never delays a live post by more. */
const TEST_LONGEST_MS = 5;

/**
 * Spaces posts to one receiver host, WEBHOOK_HOST_RATE of them a second. An attacker cannot use a gateway with many webhooks
 * against a stranger's server. Hosts are distinguished by name.
 */
@Injectable()
export class HostRate {
  private readonly pacer = new LocalPacer();
  private readonly limit: number;

  constructor({ webhooks }: Configuration) {
    this.limit = webhooks.hostRate;
  }

  /**
   * Resolves when a post may go; live posts go first.
   * @param signal ends the wait; the promise rejects
   */
  async turn(url: string, signal: AbortSignal, environment: Environment): Promise<void> {
    const longestMs = environment === 'live' ? Infinity : TEST_LONGEST_MS;
    let waitMs: number;
    do {
      waitMs = this.take(url, longestMs);
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    } while (waitMs > longestMs);
  }

  /** Counts a post that goes at once. */
  count(url: string): void {
    this.take(url, Infinity);
  }

  private take(url: string, longestMs: number): number {
    if (this.limit === 0) return 0;
    const pace = { key: new URL(url).hostname, intervalMs: 1_000 / this.limit, burst: 1 };
    return this.pacer.turnIn([pace], longestMs);
  }
}
