import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketsOf } from './buckets';
import { allowed, refused, type WindowState } from './decision';
import type { LocalLimiter } from './local-limiter';
import type { Pace } from './pace';
import { PACE_SCRIPT } from './pace.script';
import type { Companion, JointDecision, LimitDecision, RateLimiter, Window } from './sliding-window';
import { GIVE_BACK_SCRIPT, SLIDING_WINDOW_SCRIPT } from './sliding-window.script';

/**
 * A request waits for Redis this long, in milliseconds; then this process counts it, and the next requests without waiting.
 * With a shorter timeout a busy machine would look like an outage, in which the instances together exceed a limit.
 */
const TIMEOUT_MS = 250;
const PROBE_EVERY_MS = 500;
/** If a probe has no answer for this long, in milliseconds, the limiter opens a new connection. */
const PROBE_TIMEOUT_MS = 5_000;
/** The start waits this long for the first connection, in milliseconds. */
const START_TIMEOUT_MS = 1_000;

/** Instances that store another format count separately. */
const FORMAT = 3;
/** A cluster node's answer to a command about a slot of another node. An empty host means the host that was asked. */
const MOVED = /^MOVED \d+ (?<host>.*):(?<port>\d+)$/;

interface LimitCommands {
  slidingWindowGiveBack(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number>;
  paceTurn(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number>;
  slidingWindowHit(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
}

/**
 * Counts in Redis, for all instances together: one script call per hit; the calls of one tick share a round trip. While
 * Redis is unavailable or slow, each instance decides alone, at once and without an error, by the requests that it has
 * allowed itself.
 */
export class RedisLimiter implements RateLimiter, OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(RedisLimiter.name);
  private readonly redis: Redis & LimitCommands;
  /**
   * The hash tag of all limits: Redis Cluster runs a script only on keys of one slot, and the replies of all conversations
   * share a limit.
   */
  private readonly keyPrefix: string;
  private reachable = false;
  private probing?: Promise<void>;
  private closed = false;
  private loggedUnavailable = false;

  /**
   * @param url of Redis, or of a node of a cluster
   * @param namespace of the deployment: those that share a Redis count separately
   * @param local counts while Redis is unavailable
   */
  constructor(
    url: string,
    namespace: string,
    private readonly local: LocalLimiter,
  ) {
    this.keyPrefix = `{gateway:limit:${FORMAT}:${namespace}}:`;
    const redis = new Redis(url, {
      lazyConnect: true,
      enableAutoPipelining: true,
      // The local limiter counts a hit that Redis did not answer: ioredis must not queue it or send it again.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 5_000,
      disconnectTimeout: 500,
      retryStrategy: (attempt) => {
        // The node that a cluster named is gone: the configured node knows which node has taken over its slots.
        if (attempt > 1) Object.assign(redis.options, { host, port });
        return Math.min(attempt * 50, 1_000);
      },
    });
    const { host, port } = redis.options;
    redis.defineCommand('slidingWindowHit', { lua: SLIDING_WINDOW_SCRIPT });
    redis.defineCommand('slidingWindowGiveBack', { lua: GIVE_BACK_SCRIPT });
    redis.defineCommand('paceTurn', { lua: PACE_SCRIPT });
    redis.on('ready', () => this.probe(0));
    redis.on('close', () => this.setUnavailable('the connection was lost'));
    redis.on('error', (error: Error) => this.setUnavailable(error.message || error.name));
    this.redis = redis as Redis & LimitCommands;
  }

  get healthy(): boolean {
    return this.reachable;
  }

  async onModuleInit(): Promise<void> {
    const connected = this.redis.connect().then(
      () => this.probing,
      () => undefined, // the error event reports it; ioredis retries
    );
    await Promise.race([connected, sleep(START_TIMEOUT_MS, undefined, { ref: false })]);
  }

  onApplicationShutdown(): void {
    this.closed = true;
    this.redis.disconnect();
  }

  hit(key: string, windows: readonly Window[]): LimitDecision | Promise<LimitDecision> {
    const alone = () => this.local.hit(key, windows);
    if (!this.reachable) return alone();
    const decide = (answer: number[]) => this.noted(key, windows, decisionOf(answer, windows));
    return this.answerOf(this.count({ key, windows }), decide, alone);
  }

  turnIn(paces: readonly Pace[], longestMs: number): number | Promise<number> {
    const alone = () => this.local.turnIn(paces, longestMs);
    if (!this.reachable) return alone();
    const keys = paces.map(({ key }) => `${this.keyPrefix}pace:${key}`);
    const bounds = paces.flatMap(({ intervalMs, burst }) => [intervalMs, burst]);
    return this.answerOf(
      this.redis.paceTurn(keys.length, ...keys, longestMs, ...bounds),
      (microseconds) => microseconds / 1_000,
      alone,
    );
  }

  hitBoth(key: string, windows: readonly Window[], companion: Companion): JointDecision | Promise<JointDecision> {
    const alone = () => this.local.hitBoth(key, windows, companion);
    if (!this.reachable) return alone();
    const decide = (answer: number[]): JointDecision => {
      const decision = this.noted(key, windows, decisionOf(answer, windows));
      if (!decision.allowed) return { decision };
      const further = decisionOf(answer, companion.windows, windows.length);
      const giveBack = () => further.allowed && this.giveBack(companion, answer[2]!);
      return { decision, companion: { decision: further, giveBack } };
    };
    return this.answerOf(this.count({ key, windows }, companion), decide, alone);
  }

  /**
   * Counts an allowed request in this process too: in an outage of Redis, this instance allows the key no more than its
   * limit.
   */
  private noted(key: string, windows: readonly Window[], decision: LimitDecision): LimitDecision {
    if (decision.allowed) this.local.hit(key, windows);
    return decision;
  }

  private count(request: Companion, companion?: Companion): Promise<number[]> {
    const windows = [...request.windows, ...(companion?.windows ?? [])];
    const keys = [...this.keysOf(request), ...(companion ? this.keysOf(companion) : [])];
    return this.redis.slidingWindowHit(keys.length, ...keys, ...argumentsOf(windows), request.windows.length);
  }

  /** @param countedAt by Redis' clock, Unix milliseconds */
  private giveBack({ key, windows }: Companion, countedAt: number): void {
    const keys = this.keysOf({ key, windows });
    const lengths = windows.map(({ seconds }) => bucketsOf(seconds).windowMs);
    // If this fails, the message stays counted: the client may send one fewer for a minute.
    void this.redis.slidingWindowGiveBack(keys.length, ...keys, countedAt, ...lengths).catch(() => undefined);
  }

  /** @param otherwise decides in this process when Redis does not answer in time */
  private answerOf<A, T>(call: Promise<A>, decide: (answer: A) => T, otherwise: () => T): Promise<T> {
    return new Promise((resolve) => {
      let waiting = true;
      const giveUp = (reason: string): void => {
        if (!waiting) return;
        waiting = false;
        this.setUnavailable(reason);
        resolve(otherwise());
      };
      // Timers run before Node reads sockets: after a stall of this process the answer may have arrived already.
      const timer = setTimeout(() => setImmediate(giveUp, `no answer within ${TIMEOUT_MS} ms`), TIMEOUT_MS);
      call.then(
        (answer) => {
          clearTimeout(timer);
          if (!waiting) return;
          waiting = false;
          resolve(decide(answer));
        },
        (error: unknown) => {
          clearTimeout(timer);
          giveUp(error instanceof Error ? error.message : String(error));
        },
      );
    });
  }

  private setReachable(): void {
    if (this.closed) return;
    this.reachable = true;
    if (!this.loggedUnavailable) return;
    this.loggedUnavailable = false;
    this.logger.log('Redis answers again: limits are shared by all instances');
  }

  private setUnavailable(reason: string): void {
    this.reachable = false;
    if (this.closed) return;
    if (!this.loggedUnavailable)
      this.logger.warn(`Redis does not answer (${reason}): this instance counts limits by itself`);
    this.loggedUnavailable = true;
    this.probe(PROBE_EVERY_MS);
  }

  /** Probes until Redis counts again, while there is a connection; a new connection starts new probes. */
  private probe(firstAfterMs: number): void {
    this.probing ??= this.probeLoop(firstAfterMs).finally(() => {
      this.probing = undefined;
    });
  }

  private async probeLoop(firstAfterMs: number): Promise<void> {
    let waitMs = firstAfterMs;
    while (!this.closed && !this.reachable) {
      await sleep(waitMs, undefined, { ref: false });
      if (this.redis.status !== 'ready') return;
      if (await this.answersInTime()) this.setReachable();
      waitMs = PROBE_EVERY_MS;
    }
  }

  /** Runs the script itself: a server that answers PING may still be unable to count (read-only replica, out of memory). */
  private async answersInTime(): Promise<boolean> {
    const started = performance.now();
    const timeout = setTimeout(() => this.redis.disconnect(true), PROBE_TIMEOUT_MS);
    try {
      await this.redis.slidingWindowHit(1, `${this.keyPrefix}probe`, 1, 1_000, 1_000, 1);
      return performance.now() - started < TIMEOUT_MS;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.setUnavailable(reason);
      this.followTo(MOVED.exec(reason)?.groups);
      return false;
    } finally {
      clearTimeout(timeout);
    }
  }

  /** Connects to the cluster node that holds the limits: all limits are in one slot. */
  private followTo(node: Record<string, string> | undefined): void {
    if (!node) return;
    const { host, port } = node;
    Object.assign(this.redis.options, { host: host || this.redis.options.host, port: Number(port) });
    this.redis.disconnect(true);
  }

  private keysOf({ key, windows }: Companion): string[] {
    return windows.map(({ seconds }) => `${this.keyPrefix}${key}:${seconds}`);
  }
}

function argumentsOf(windows: readonly Window[]): number[] {
  return windows.flatMap(({ limit, seconds }) => {
    const { windowMs, widthMs } = bucketsOf(seconds);
    return [limit, windowMs, widthMs];
  });
}

/** @param first index of the first of these windows in the call: 0 for the request's, more for its companion's */
function decisionOf(answer: number[], windows: readonly Window[], first = 0): LimitDecision {
  const states = windows.map((_, index): WindowState => ({
    used: answer[2 * (first + index) + 3]!,
    freeAt: answer[2 * (first + index) + 4]!,
  }));
  const decide = answer[first === 0 ? 0 : 1] === 1 ? allowed : refused;
  return decide(windows, states, answer[2]!);
}
