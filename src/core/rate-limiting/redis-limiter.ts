import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketsOf } from './buckets';
import { allowed, refused, type WindowState } from './decision';
import type { LocalLimiter } from './local-limiter';
import type {
  Companion,
  CountedCompanion,
  JointDecision,
  LimitDecision,
  SlidingWindowLimiter,
  Window,
} from './sliding-window';
import { GIVE_BACK_SCRIPT, SLIDING_WINDOW_SCRIPT } from './sliding-window.script';

/**
 * A request waits for Redis this long; then this process counts it, and the next ones without waiting. With a shorter
 * timeout, a busy machine would look like an outage, in which instances together exceed a limit.
 */
const TIMEOUT_MS = 250;
const PROBE_EVERY_MS = 500;
/** After a probe without an answer for this long, the limiter opens a new connection. */
const PROBE_TIMEOUT_MS = 5_000;
/**
 * After Redis was unavailable, this instance applies its own count beside Redis' for the longest window of a key: Redis has
 * not counted those requests, and would grant the same limit twice.
 */
const APART_MS = 3_600_000;
/** The start waits this long for the first connection. */
const START_TIMEOUT_MS = 1_000;

/** It holds the version of the stored format. */
const KEY_PREFIX = 'gateway:limit:2:';

interface LimitCommands {
  slidingWindowGiveBack(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number>;
  slidingWindowHit(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
}

/**
 * Counts in Redis, for all instances together: one script call per hit, the calls of a tick in one round trip. While Redis
 * is unavailable or slow, each instance counts by itself, at once and without an error. Its count includes the requests that
 * it allowed before, and still applies afterwards.
 */
export class RedisLimiter implements SlidingWindowLimiter, OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(RedisLimiter.name);
  private readonly redis: Redis & LimitCommands;
  private reachable = false;
  private probing?: Promise<void>;
  /** Until then (`performance.now()`), both counts must have room. */
  private apartUntil = -Infinity;
  private closed = false;
  private loggedUnavailable = false;

  /** @param local counts while Redis is unavailable */
  constructor(
    url: string,
    private readonly local: LocalLimiter,
  ) {
    const redis = new Redis(url, {
      lazyConnect: true,
      enableAutoPipelining: true,
      // The local limiter has counted a hit that Redis did not answer: ioredis must not queue it or send it again.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 5_000,
      disconnectTimeout: 500,
      retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    });
    redis.defineCommand('slidingWindowHit', { lua: SLIDING_WINDOW_SCRIPT });
    redis.defineCommand('slidingWindowGiveBack', { lua: GIVE_BACK_SCRIPT });
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
    if (!this.reachable) return this.local.hit(key, windows);
    return this.ownRefusal(key, windows) ?? this.hitRedis(key, windows);
  }

  hitBoth(key: string, windows: readonly Window[], companion: Companion): JointDecision | Promise<JointDecision> {
    if (!this.reachable) return this.local.hitBoth(key, windows, companion);
    const refusal = this.ownRefusal(key, windows);
    if (refusal) return { decision: refusal };
    const companionRefusal = this.ownRefusal(companion.key, companion.windows);
    return companionRefusal
      ? this.hitWithout(key, windows, companionRefusal)
      : this.hitRedisBoth(key, windows, companion);
  }

  /** While both count: the refusal of this instance. */
  private ownRefusal(key: string, windows: readonly Window[]): LimitDecision | undefined {
    return this.isApart() ? this.local.refusal(key, windows) : undefined;
  }

  private async hitWithout(key: string, windows: readonly Window[], refusal: LimitDecision): Promise<JointDecision> {
    const decision = await this.hitRedis(key, windows);
    return decision.allowed ? { decision, companion: { decision: refusal, giveBack: () => undefined } } : { decision };
  }

  private hitRedisBoth(key: string, windows: readonly Window[], companion: Companion): Promise<JointDecision> {
    const both = [...windows, ...companion.windows];
    const keys = [...keysOf(key, windows), ...keysOf(companion.key, companion.windows)];
    const call = this.redis.slidingWindowHit(both.length, ...keys, ...argumentsOf(both), windows.length);
    return this.answerOf(
      call,
      (answer) => {
        const [localAt, redisAt] = [this.local.now, answer[2]!];
        const decision = this.counted(key, windows, decisionOf(answer, windows));
        if (!decision.allowed) return { decision };
        const further = decisionOf(answer, companion.windows, windows.length);
        const counted = this.counted(companion.key, companion.windows, further);
        return { decision, companion: this.companionOf(companion, counted, { redisAt, localAt }) };
      },
      () => this.local.hitBoth(key, windows, companion),
    );
  }

  /** @param counted when each of the two counted it, by its own clock, Unix milliseconds */
  private companionOf(
    { key, windows }: Companion,
    decision: LimitDecision,
    counted: { redisAt: number; localAt: number },
  ): CountedCompanion {
    const giveBack = () => {
      if (!decision.allowed) return;
      this.local.remove(key, counted.localAt);
      const keys = keysOf(key, windows);
      // A message that stays counted is one too few for the client, for a minute.
      const lengths = windows.map(({ seconds }) => bucketsOf(seconds).windowMs);
      void this.redis.slidingWindowGiveBack(keys.length, ...keys, counted.redisAt, ...lengths).catch(() => undefined);
    };
    return { decision, giveBack };
  }

  private hitRedis(key: string, windows: readonly Window[]): Promise<LimitDecision> {
    const keys = keysOf(key, windows);
    const call = this.redis.slidingWindowHit(windows.length, ...keys, ...argumentsOf(windows), windows.length);
    return this.answerOf(
      call,
      (answer) => this.counted(key, windows, decisionOf(answer, windows)),
      () => this.local.hit(key, windows),
    );
  }

  /** @param otherwise decides in this process when Redis does not answer in time */
  private answerOf<T>(call: Promise<number[]>, decide: (answer: number[]) => T, otherwise: () => T): Promise<T> {
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

  /** @returns Redis' decision or, while both count, the local one if it is stricter */
  private counted(key: string, windows: readonly Window[], decision: LimitDecision): LimitDecision {
    if (!decision.allowed) return decision;
    if (!this.isApart()) {
      this.local.record(key, windows);
      return decision;
    }
    // Other requests may have taken the last room since the local check.
    const own = this.local.hit(key, windows);
    return !own.allowed || own.remaining < decision.remaining ? own : decision;
  }

  private isApart(): boolean {
    return performance.now() < this.apartUntil;
  }

  private setReachable(): void {
    if (this.closed) return;
    this.reachable = true;
    if (!this.loggedUnavailable) return;
    this.loggedUnavailable = false;
    this.apartUntil = performance.now() + APART_MS;
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

  /** Runs the script itself: a server that answers PING may still refuse to count (read-only replica, out of memory). */
  private async answersInTime(): Promise<boolean> {
    const started = performance.now();
    const timeout = setTimeout(() => this.redis.disconnect(true), PROBE_TIMEOUT_MS);
    try {
      await this.redis.slidingWindowHit(1, `${KEY_PREFIX}probe`, 1, 1_000, 1_000, 1);
      return performance.now() - started < TIMEOUT_MS;
    } catch (error) {
      this.setUnavailable(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      clearTimeout(timeout);
    }
  }
}

function keysOf(key: string, windows: readonly Window[]): string[] {
  return windows.map(({ seconds }) => `${KEY_PREFIX}{${key}}:${seconds}`);
}

function argumentsOf(windows: readonly Window[]): number[] {
  return windows.flatMap(({ limit, seconds }) => {
    const { windowMs, widthMs } = bucketsOf(seconds);
    return [limit, windowMs, widthMs];
  });
}

/** @param first index of the windows among all that were asked for: 0 for the request's, others for its companion's */
function decisionOf(answer: number[], windows: readonly Window[], first = 0): LimitDecision {
  const states = windows.map((_, index): WindowState => ({
    used: answer[2 * (first + index) + 3]!,
    freeAt: answer[2 * (first + index) + 4]!,
  }));
  const decide = answer[first === 0 ? 0 : 1] === 1 ? allowed : refused;
  return decide(windows, states, answer[2]!);
}
