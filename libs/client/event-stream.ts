import type { EventType, WebhookEvent } from './contracts';
import { GatewayError } from './errors';
import type { RequestOptions } from './options';
import { pause } from './transport/pause';
import { retryDelay } from './transport/retry-policy';
import { serverSentEvents } from './transport/server-sent-events';
import type { Transport } from './transport/transport';

/** Every event type of a family: `message.*`. */
export type EventFamily = EventType extends `${infer Family}.${string}` ? `${Family}.*` : never;

export interface EventStreamParams {
  /** Only these; by default all that the key may see. */
  types?: readonly (EventType | EventFamily)[];
  /** Begins after this event, and may repeat up to 60 seconds before it. */
  lastEventId?: string;
}

export interface EventStreamOptions extends RequestOptions {
  /** Called whenever the stream is connected. */
  onOpen?: () => void;
  /** Called when the connection is lost; the stream connects again by itself. */
  onInterrupted?: (reason: unknown) => void;
}

/** The gateway writes at least every 15 seconds: after this silence, in milliseconds, the connection is dead. */
const LONGEST_SILENCE_MS = 40_000;
/** Pause before the client reconnects, in milliseconds, unless the gateway sends another in `retry`. */
const RECONNECT_MS = 1_000;
/** The gateway repeats events this far back, in milliseconds, by their time of creation. */
const REPEATED_MS = 60_000;

/** Events as they happen, each once. It connects again when its connection breaks, and catches up. */
export class EventStream implements AsyncIterable<WebhookEvent> {
  /** Ids that may come again, and when their events were created. */
  private readonly seen = new Map<string, number>();
  private newest = -Infinity;
  private reconnectMs = RECONNECT_MS;
  private lastId: string | undefined;
  private wasOpen = false;

  /** @internal */
  constructor(
    private readonly transport: Transport,
    private readonly query: EventStreamParams,
    private readonly options: EventStreamOptions,
  ) {
    this.lastId = query.lastEventId;
  }

  /**
   * Leaving the loop closes the connection.
   * @throws GatewayError when the key may not, or may no longer, read the stream
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<WebhookEvent, void, undefined> {
    const { signal, onInterrupted } = this.options;
    for (let failures = 0; ;) {
      let reason: unknown;
      let delay: number | undefined;
      try {
        for await (const event of this.connection()) {
          failures = 0;
          if (event) yield event;
        }
        delay = this.reconnectMs;
      } catch (error) {
        reason = error;
        failures += 1;
        delay = this.wasOpen ? retryDelay(error, true, failures) : undefined;
        if (delay === undefined) throw error;
      }
      onInterrupted?.(reason);
      await pause(delay, signal);
      signal?.throwIfAborted();
    }
  }

  /** The new events of one connection; yields undefined once it is open. */
  private async *connection(): AsyncGenerator<WebhookEvent | undefined, void, undefined> {
    const { types } = this.query;
    const { timeout = LONGEST_SILENCE_MS, signal } = this.options;
    // The first connection fails like any request. A stream that was open reconnects, however long it takes.
    const maxRetries = this.wasOpen ? 0 : this.options.maxRetries;
    const { response, pieces } = await this.transport.connect(
      '/api/v1/events/stream',
      { query: { types: types?.join(',') } },
      { signal, timeout, maxRetries },
      this.lastId,
    );
    this.wasOpen = true;
    this.lastId ??= response.headers.get('last-event-id') ?? undefined;
    this.options.onOpen?.();
    yield undefined;
    for await (const { id, event, data } of serverSentEvents(pieces, (ms) => (this.reconnectMs = ms))) {
      if (event === 'end') throw GatewayError.inStream({ error: endOf(data) });
      const body = JSON.parse(data) as WebhookEvent;
      this.lastId = id;
      if (this.isNew(body)) yield body;
    }
  }

  private isNew({ id, created_at }: WebhookEvent): boolean {
    if (this.seen.has(id)) return false;
    const createdAt = Date.parse(created_at);
    this.seen.set(id, createdAt);
    // Once per minute of event time, so that the client seldom searches all ids.
    if (createdAt < this.newest + REPEATED_MS) return true;
    this.newest = createdAt;
    for (const [seen, at] of this.seen) if (at < createdAt - 3 * REPEATED_MS) this.seen.delete(seen);
    return true;
  }
}

function endOf(data: string): { code: string; message: string; details: null } {
  const { code } = JSON.parse(data) as { code: string };
  return { code, message: `The gateway ended the stream: ${code}`, details: null };
}
