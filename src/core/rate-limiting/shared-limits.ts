import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Pace } from './pace';
import { PACE_SCRIPT } from './pace.script';

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
const FORMAT = 4;
/** A cluster node's answer to a command about a slot of another node. An empty host means the host that was asked. */
const MOVED = /^MOVED \d+ (?<host>.*):(?<port>\d+)$/;

interface PaceCommand {
  paceTurn(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number>;
}

/**
 * The counts in Redis, of all instances together; the calls of one tick share a round trip. While Redis is unavailable or
 * slow, each instance decides alone, at once and without an error.
 */
export class SharedLimits {
  readonly counts: RateLimiterRedis;
  private readonly logger = new Logger(SharedLimits.name);
  private readonly redis: Redis & PaceCommand;
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
   */
  constructor(url: string, namespace: string) {
    this.keyPrefix = `{gateway:limit:${FORMAT}:${namespace}}`;
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
    redis.defineCommand('paceTurn', { lua: PACE_SCRIPT });
    redis.on('ready', () => this.probe(0));
    redis.on('close', () => this.setUnavailable('the connection was lost'));
    redis.on('error', (error: Error) => this.setUnavailable(error.message || error.name));
    this.redis = redis as Redis & PaceCommand;
    this.counts = new RateLimiterRedis({ storeClient: redis, keyPrefix: this.keyPrefix, points: 0, duration: 1 });
  }

  get isReachable(): boolean {
    return this.reachable;
  }

  async connect(): Promise<void> {
    const connected = this.redis.connect().then(
      () => this.probing,
      () => undefined, // the error event reports it; ioredis retries
    );
    await Promise.race([connected, sleep(START_TIMEOUT_MS, undefined, { ref: false })]);
  }

  close(): void {
    this.closed = true;
    this.redis.disconnect();
  }

  /** @param alone see `ask` */
  turnIn(paces: readonly Pace[], longestMs: number, alone: () => number): number | Promise<number> {
    if (!this.reachable) return alone();
    const keys = paces.map(({ key }) => `${this.keyPrefix}:pace:${key}`);
    const bounds = paces.flatMap(({ intervalMs, burst }) => [intervalMs, burst]);
    const turn = async () => (await this.redis.paceTurn(keys.length, ...keys, longestMs, ...bounds)) / 1_000;
    return this.ask(turn, alone);
  }

  /** @param alone decides in this process when Redis does not answer in time */
  async ask<T>(call: (limits: this) => Promise<T>, alone: () => T | Promise<T>): Promise<T> {
    if (!this.reachable) return alone();
    const { promise: tooLate, resolve: giveUp } = Promise.withResolvers<undefined>();
    // Timers run before Node reads sockets: after a stall of this process the answer may have arrived already.
    const timer = setTimeout(() => setImmediate(giveUp, undefined), TIMEOUT_MS);
    try {
      const answer = await Promise.race([call(this).then((value) => ({ value })), tooLate]);
      if (answer) return answer.value;
      this.setUnavailable(`no answer within ${TIMEOUT_MS} ms`);
    } catch (error) {
      this.setUnavailable(error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(timer);
    }
    return alone();
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
      await this.counts.penalty('probe');
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
}
