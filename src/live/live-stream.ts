import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment, EventType } from '#contracts';
import type { Caller } from '../core/http/lifecycle/request-context';
import type { OpenAnswer } from '../core/http/open-answers';
import { endFrame, isOfAccounts, type LiveEvent } from './live-event';

/** A client that does not read gets this long to receive the end of its stream, in milliseconds. */
const END_TIMEOUT_MS = 1_000;

/** The body of one open stream. */
export class LiveStream extends Readable implements OpenAnswer {
  /** Equal for streams with the same events. */
  readonly selection: string;
  readonly keyId: string;
  readonly environment: Environment;
  /** Bytes that are being read from the history for this stream. */
  beingRead = 0;
  /** Events that the feed delivered while the history was read. */
  private held?: LiveEvent[];
  /** Resolves when the connection takes more data, or the stream ends. */
  private progress = Promise.withResolvers<void>();
  private takenBytes = 0;
  private takenAt = performance.now();

  constructor(
    readonly request: FastifyRequest,
    private readonly raw: FastifyReply['raw'],
    { keyId, environment }: Caller,
    readonly types: ReadonlySet<EventType>,
    /** Public ids; undefined: all. */
    private readonly accounts?: readonly string[],
  ) {
    // Then `_read` is called as soon as the connection has taken all data, not before.
    super({ highWaterMark: 1 });
    this.keyId = keyId;
    this.environment = environment;
    this.selection = [environment, ...types, ...(accounts ?? [])].join();
    // The headers are sent with the first byte.
    this.push(': connected\n\n');
    // The stream may be cut before Fastify sends it, and listens.
    this.on('error', () => undefined);
    raw.on('drain', () => this.progress.resolve()).once('close', () => this.destroy());
  }

  /** Bytes in memory for the client. It must count every place that holds some. */
  get unread(): number {
    const held = this.held?.reduce((bytes, { body }) => bytes + body.length, 0) ?? 0;
    return this.beingRead + this.readableLength + this.raw.writableLength + held;
  }

  /** How long the client has read nothing, in milliseconds, as far as earlier calls of this method show. */
  idleMs(): number {
    const { socket } = this.raw;
    const takenBytes = socket ? socket.bytesWritten - socket.writableLength : 0;
    const now = performance.now();
    if (takenBytes !== this.takenBytes) this.takenAt = now;
    this.takenBytes = takenBytes;
    return now - this.takenAt;
  }

  wants(event: LiveEvent): boolean {
    if (event.environment !== this.environment || !this.types.has(event.type)) return false;
    return this.accounts === undefined || isOfAccounts(event, this.accounts);
  }

  send(frames: string | Buffer): void {
    if (!this.isOver) this.push(frames);
  }

  /** As `send`; resolves when the client's connection has taken the frames. */
  async sendSlowly(frames: string): Promise<void> {
    this.send(frames);
    while (!this.isOver && (this.readableLength > 0 || this.raw.writableNeedDrain)) {
      this.progress = Promise.withResolvers();
      await this.progress.promise;
    }
  }

  /** From now on holds the feed's events, until `release`. */
  hold(): void {
    this.held = [];
  }

  /** Keeps those of the events that the stream wants, while it holds them. @returns whether it does */
  keeps(events: readonly LiveEvent[]): boolean {
    this.held?.push(...events.filter((event) => this.wants(event)));
    return this.held !== undefined;
  }

  /** @returns the held events */
  release(): LiveEvent[] {
    const { held = [] } = this;
    this.held = undefined;
    return held;
  }

  /** Ends the stream with some last frames. */
  finish(frames: string): void {
    if (this.isOver) return;
    this.push(frames);
    this.push(null);
    this.ended = true;
    setTimeout(() => this.destroy(new Error('the client did not take the end of its stream')), END_TIMEOUT_MS).unref();
  }

  /** Ends the stream because its key has ended. */
  end(code: string): void {
    this.finish(endFrame(code));
  }

  /** Breaks the connection of a client that does not read. */
  cut(): void {
    this.destroy(new Error('the client does not read its stream'));
  }

  get isOver(): boolean {
    return this.ended || this.destroyed;
  }

  override _read(): void {
    this.progress.resolve();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.progress.resolve();
    done(error);
  }

  private ended = false;
}
