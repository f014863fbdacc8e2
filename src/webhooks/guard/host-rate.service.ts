import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Configuration } from '../../core/config/configuration';
import { WindowLog } from '../../core/rate-limiting/window-log';

const WINDOW_SECONDS = 1;
const FORGET_EVERY_MS = 60_000;

interface Waiting {
  go: () => void;
  fail: (reason: unknown) => void;
}

interface Host {
  readonly posts: WindowLog;
  /** In the order of their turns; a live post never waits behind a test post. */
  readonly queues: Readonly<Record<Environment, Set<Waiting>>>;
  timer?: NodeJS.Timeout;
}

/**
 * Holds posts to one receiver host back that are above WEBHOOK_HOST_RATE a second. An attacker cannot use a
 * gateway with many webhooks against a stranger's server. Hosts are distinguished by name.
 */
@Injectable()
export class HostRate {
  private readonly hosts = new Map<string, Host>();
  private readonly limit: number;
  private closed: { reason: Error } | undefined;
  private forgetAt = 0;

  constructor({ webhooks }: Configuration) {
    this.limit = webhooks.hostRate;
  }

  /**
   * Resolves when a post may go, in the order of the calls.
   * @param signal ends the wait; the promise rejects with the signal's reason
   */
  async turn(url: string, signal: AbortSignal, environment: Environment): Promise<void> {
    if (this.limit === 0) return;
    signal.throwIfAborted();
    const host = this.hostOf(url);
    const { live, test } = host.queues;
    const isNext = live.size === 0 && (environment === 'live' || test.size === 0);
    if (isNext && this.take(host)) return;
    if (this.closed) throw this.closed.reason;
    await this.wait(host, host.queues[environment], signal);
  }

  /** Counts a post that goes at once. */
  count(url: string): void {
    if (this.limit === 0) return;
    const { posts } = this.hostOf(url);
    posts.used(performance.now());
    posts.record(performance.now());
  }

  /** From now on a post goes at once or not at all: the turns of those that wait reject. */
  close(reason: Error): void {
    this.closed = { reason };
    for (const host of this.hosts.values()) {
      clearTimeout(host.timer);
      for (const { fail } of waitingAt(host)) fail(reason);
    }
  }

  private async wait(host: Host, queue: Set<Waiting>, signal: AbortSignal): Promise<void> {
    const { promise, resolve: go, reject: fail } = Promise.withResolvers<void>();
    const waiting = { go, fail };
    const giveUp = () => fail(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    queue.add(waiting);
    this.next(host);
    try {
      await promise;
    } finally {
      queue.delete(waiting);
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Lets posts go whose turn it is, and sets the timer for the next one. */
  private next(host: Host): void {
    clearTimeout(host.timer);
    for (const waiting of waitingAt(host)) {
      if (!this.take(host)) {
        const now = performance.now();
        const { freeAt } = host.posts.refusedState(this.limit, now);
        host.timer = setTimeout(() => this.next(host), Math.max(1, Math.ceil(freeAt - now)));
        return;
      }
      for (const queue of Object.values(host.queues)) queue.delete(waiting);
      waiting.go();
    }
  }

  private take({ posts }: Host): boolean {
    const now = performance.now();
    if (posts.used(now) >= this.limit) return false;
    posts.record(now);
    return true;
  }

  private hostOf(url: string): Host {
    if (performance.now() >= this.forgetAt) this.forget();
    const { hostname } = new URL(url);
    const known = this.hosts.get(hostname);
    if (known) return known;
    const host = {
      posts: new WindowLog(WINDOW_SECONDS),
      queues: { live: new Set<Waiting>(), test: new Set<Waiting>() },
    };
    this.hosts.set(hostname, host);
    return host;
  }

  private forget(): void {
    const now = performance.now();
    this.forgetAt = now + FORGET_EVERY_MS;
    for (const [name, host] of this.hosts) {
      if (waitingAt(host).length === 0 && host.posts.used(now) === 0) this.hosts.delete(name);
    }
  }
}

function waitingAt({ queues: { live, test } }: Host): Waiting[] {
  return [...live, ...test];
}
