import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Siblings } from '../core/cluster/siblings.service';
import { CredentialsCheck } from '../core/http/credentials-check.port';
import type { Caller } from '../core/http/lifecycle/request-context';
import { RateLimitError } from '../core/http/lifecycle/api-error';
import { endRefused } from '../core/http/open-answers';
import { Timers } from '../core/work/timers/timers.service';
import { Metrics } from '../core/observability/metrics.service';
import { frameOf, type LiveEvent } from './live-event';
import { LiveFeed } from './live-feed.service';
import type { LiveStream } from './live-stream';

export const STREAMS_PER_KEY = 10;
export const STREAMS_PER_INSTANCE = 1_000;
/** Test keys leave this many of an instance's streams to live keys. */
export const STREAMS_OF_LIVE = 500;
const STREAMS_OF_TEST = STREAMS_PER_INSTANCE - STREAMS_OF_LIVE;
/** After how many seconds a client with too many streams may try again. */
const RETRY_AFTER_SECONDS = 10;
/**
 * Events are sent in batches; each turn writes to every stream.
 * @returns milliseconds from one turn to the next: half a millisecond for each stream, from 50 to 150
 */
export function turnMs(streams: number): number {
  return Math.min(150, Math.max(50, streams / 2));
}

const PING_MS = 15_000;
const CHECK_MS = 400;
/**
 * Limits of unread bytes, of one stream and of all. A stream above its limit is cut; above the limit of all, those whose
 * clients have read nothing for longest.
 */
export const UNREAD_OF_STREAM = 256 * 1_024;
export const UNREAD_OF_ALL = 64 * 1_024 * 1_024;
/** Tells the client to reconnect after a second, when another instance may serve it. */
const STOP_FRAME = 'retry: 1000\n\n';

/** The open streams of this instance: admits them, sends them events, and ends them. */
@Injectable()
export class LiveStreams implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(LiveStreams.name);
  /** Every open stream, including streams that still catch up. */
  private readonly open = new Set<LiveStream>();
  /** Streams that take part in the feed. */
  private readonly joined = new Set<LiveStream>();
  /** How many of the open streams are of test keys. */
  private testStreams = 0;
  private waiting: LiveEvent[] = [];
  private timer?: NodeJS.Timeout;
  private flushedAt = -Infinity;
  private stopping = false;

  constructor(
    private readonly feed: LiveFeed,
    private readonly credentials: CredentialsCheck,
    private readonly timers: Timers,
    private readonly siblings: Siblings,
    metrics: Metrics,
  ) {
    metrics.read('gateway_event_streams', 'Open event streams.', () => this.open.size);
  }

  onModuleInit(): void {
    this.feed.onEvents((events) => this.receive(events));
    this.timers.every('Event stream pings', PING_MS, () => Promise.resolve(this.ping()), {
      scope: 'process',
      firstMs: PING_MS,
    });
    this.timers.every('Event stream key check', CHECK_MS, () => this.check(), { scope: 'process' });
  }

  /** Runs in the first hook of a stop, because the stop waits for open requests, such as streams. */
  onModuleDestroy(): void {
    this.stopping = true;
    this.flush();
    for (const stream of this.open) stream.finish(STOP_FRAME);
  }

  /**
   * Counts a stream that is about to be admitted.
   * @throws ApiError RATE_LIMIT_EXCEEDED if the key, test keys or the instance have reached their limit
   */
  async claimRoom({ keyId, environment }: Pick<Caller, 'keyId' | 'environment'>): Promise<void> {
    if (this.open.size >= this.siblings.shareOf(STREAMS_PER_INSTANCE))
      throw tooMany(STREAMS_PER_INSTANCE, 'This instance has');
    if (environment === 'test' && this.testStreams >= this.siblings.shareOf(STREAMS_OF_TEST))
      throw tooMany(STREAMS_OF_TEST, 'Test keys may have, on this instance,');
    if ((await this.siblings.add(nameOf(keyId), 1)) <= STREAMS_PER_KEY) return;
    void this.siblings.add(nameOf(keyId), -1);
    throw tooMany(STREAMS_PER_KEY, 'A key has');
  }

  /** Admits a stream, which gets no events before it joins. Resolves when it may join. */
  async admit(stream: LiveStream): Promise<void> {
    if (this.stopping) return stream.finish(STOP_FRAME);
    if (this.open.size === 0) this.feed.start();
    this.open.add(stream);
    if (stream.environment === 'test') this.testStreams += 1;
    stream.once('close', () => this.remove(stream));
    try {
      await this.feed.ready();
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  /** From now on the stream gets committed events. */
  join(stream: LiveStream): void {
    // The waiting events were committed before the stream joined.
    this.flush();
    if (this.open.has(stream)) this.joined.add(stream);
  }

  private remove(stream: LiveStream): void {
    this.open.delete(stream);
    if (stream.environment === 'test') this.testStreams -= 1;
    void this.siblings.add(nameOf(stream.keyId), -1);
    this.joined.delete(stream);
    if (this.open.size === 0) this.feed.stop();
  }

  private receive(events: readonly LiveEvent[]): void {
    if (this.joined.size === 0) return;
    this.waiting.push(...events);
    const waitMs = Math.max(0, this.flushedAt + turnMs(this.joined.size) - performance.now());
    this.timer ??= setTimeout(() => this.flush(), waitMs).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const events = this.waiting;
    if (events.length === 0) return;
    this.waiting = [];
    this.flushedAt = performance.now();
    this.cutUnread();
    const framesOfSelection = new Map<string, Buffer>();
    for (const stream of this.joined) this.write(stream, events, framesOfSelection);
  }

  private write(stream: LiveStream, events: readonly LiveEvent[], framesOfSelection: Map<string, Buffer>): void {
    if (stream.keeps(events)) return;
    const { selection } = stream;
    let frames = framesOfSelection.get(selection);
    if (!frames) {
      frames = Buffer.from(
        events
          .filter((event) => stream.wants(event))
          .map(frameOf)
          .join(''),
      );
      framesOfSelection.set(selection, frames);
    }
    if (frames.length > 0) stream.send(frames);
  }

  private ping(): void {
    this.cutUnread();
    for (const stream of this.open) stream.send(': ping\n\n');
  }

  /** Ends the streams whose key is no longer valid. */
  private async check(): Promise<void> {
    this.cutUnread();
    await endRefused(this.credentials, this.open);
  }

  private cutUnread(): void {
    let all = 0;
    const left: { stream: LiveStream; unread: number; idleMs: number }[] = [];
    for (const stream of this.open) {
      const { unread } = stream;
      if (unread > UNREAD_OF_STREAM) {
        this.cut(stream, unread);
        continue;
      }
      all += unread;
      left.push({ stream, unread, idleMs: stream.idleMs() });
    }
    if (all <= this.siblings.shareOf(UNREAD_OF_ALL)) return;
    for (const { stream, unread } of left.sort((one, other) => other.idleMs - one.idleMs)) {
      if (all <= this.siblings.shareOf(UNREAD_OF_ALL)) return;
      if (unread > 0) all -= this.cut(stream, unread);
    }
  }

  private cut(stream: LiveStream, unread: number): number {
    this.logger.warn(`An event stream was closed: its client left ${unread} bytes unread`);
    stream.cut();
    return unread;
  }
}

function tooMany(limit: number, holder: string): RateLimitError {
  return new RateLimitError(
    'event_streams',
    { limit, window_seconds: RETRY_AFTER_SECONDS, retry_after_seconds: RETRY_AFTER_SECONDS },
    `${holder} at most ${limit} open streams of events.`,
  );
}

function nameOf(keyId: string): string {
  return `streams:${keyId}`;
}
