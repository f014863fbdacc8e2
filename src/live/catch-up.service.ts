import { Injectable } from '@nestjs/common';
import { fromPublicId } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { HISTORY_PAGE } from './event-history.rows';
import { EventHistory, type ListedEvent, type Position } from './event-history.service';
import { frameOf } from './live-event';
import { LATEST_COMMIT_MS } from './live-feed.service';
import type { LiveStream } from './live-stream';

/** Sorts before every event of the same time. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/**
 * Bytes that a stream reads from the database at once. With the buffers of its connection they must stay below
 * `UNREAD_OF_STREAM`.
 */
const PORTION_BYTES = 65_536;

/** Sends a stream the events that its client has missed. */
@Injectable()
export class CatchUp {
  /** Ends when all requested reads of the history have ended. */
  private reads: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly history: EventHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * The position from which a stream resumes.
   * @param parameter that a refusal names
   * @throws ApiError INVALID_PARAMETER if the event is not kept, or belongs to the other environment
   */
  async positionOf(environment: LiveStream['environment'], publicId: string, parameter: string): Promise<Position> {
    const id = fromPublicId('event', publicId);
    const createdAt = id && (await this.history.createdAt(environment, id));
    if (createdAt) return { id, createdAt };
    throw ApiError.invalidParameter(
      parameter,
      'must be the id of an event that has not been deleted',
      publicId.slice(0, 100),
    );
  }

  /**
   * Sends the events that were created after `last`, and up to 60 s before it, because events do not commit in the order of
   * their creation. Then the stream joins the feed, and those that committed meanwhile are read. An event near the border may
   * be sent twice.
   * @param join starts passing the feed's events to the stream, which holds them
   */
  async run(stream: LiveStream, last: Position, join: () => void): Promise<void> {
    const sent = new Set([last.id]);
    const settled = await this.sendAfter(stream, before(last.createdAt), sent);
    stream.hold();
    join();
    await this.sendAfter(stream, settled, sent);
    for (const event of stream.release()) if (!sent.has(event.id)) stream.send(frameOf(event));
  }

  /**
   * Sends the events after a position.
   * @param sent ids of events that were sent; those that have settled are removed
   * @returns the position before which all events had committed when they were read
   */
  private async sendAfter(stream: LiveStream, from: Position, sent: Set<string>): Promise<Position> {
    let [position, settled] = [from, from];
    for (;;) {
      const committedBefore = this.clock.now() - LATEST_COMMIT_MS;
      const page = await this.pageOf(stream, position);
      for (const portion of portionsOf(page, sent)) {
        await this.sendPortion(stream, portion);
        for (const id of portion.ids) sent.add(id);
      }
      if (page.length < HISTORY_PAGE) return settled;
      position = page.at(-1)!;
      if (position.createdAt.getTime() >= committedBefore) continue;
      settled = position;
      sent.clear();
    }
  }

  private pageOf(stream: LiveStream, position: Position): Promise<ListedEvent[]> {
    // If the client has gone, nothing is left to send.
    return this.inTurn(() =>
      stream.isOver ? Promise.resolve([]) : this.history.page(stream.environment, stream.types, position),
    );
  }

  /** Runs one read at a time: many streams that resume together must leave the database's connections to requests. */
  private inTurn<T>(read: () => Promise<T>): Promise<T> {
    const result = this.reads.then(read);
    this.reads = result.catch(() => undefined);
    return result;
  }

  /** Reads the bodies of a portion once the client has taken the bodies before it. */
  private async sendPortion(stream: LiveStream, { ids, bytes }: Portion): Promise<void> {
    const events = await this.inTurn(() => {
      if (stream.isOver) return Promise.resolve([]);
      stream.beingRead = bytes;
      return this.history.read(ids);
    });
    stream.beingRead = 0;
    const wanted = events.filter((event) => stream.wants(event));
    await stream.sendSlowly(wanted.map(frameOf).join(''));
  }
}

/** Events whose bodies are read at once. */
interface Portion {
  ids: string[];
  /** Total size of the bodies. */
  bytes: number;
}

/** Divides a page's events that the stream gets into portions of at most `PORTION_BYTES`, or of a single larger event. */
function* portionsOf(page: readonly ListedEvent[], sent: ReadonlySet<string>): Generator<Portion> {
  let portion: Portion = { ids: [], bytes: 0 };
  for (const { id, bytes } of page) {
    if (bytes === null || sent.has(id)) continue;
    if (portion.bytes > 0 && portion.bytes + bytes > PORTION_BYTES) {
      yield portion;
      portion = { ids: [], bytes: 0 };
    }
    portion.ids.push(id);
    portion.bytes += bytes;
  }
  if (portion.bytes > 0) yield portion;
}

function before(time: Date): Position {
  return { createdAt: new Date(time.getTime() - LATEST_COMMIT_MS), id: FIRST_ID };
}
