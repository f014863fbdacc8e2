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
   * their creation. Then the stream joins the feed and gets the events that committed meanwhile.
   * @param join starts passing the feed's events to the stream, which holds them
   */
  async run(stream: LiveStream, last: Position, join: () => void): Promise<void> {
    const replayed = new Set([last.id]);
    stream.replayed = replayed;
    let settled = before(last.createdAt);
    // A slow client may take longer than 60 s for the newest events. Then those that have settled are read again, and their
    // ids are forgotten.
    do settled = await this.sendSettled(stream, settled, replayed);
    while (!(await this.sendUnsettled(stream, settled, replayed, this.clock.now() + LATEST_COMMIT_MS)));
    stream.hold();
    join();
    await this.sendUnsettled(stream, settled, replayed);
    for (const event of stream.release()) if (!replayed.has(event.id)) stream.send(frameOf(event));
  }

  /**
   * Sends events that were created more than 60 s ago. All of them have committed, so their ids need not be remembered.
   * @returns the position up to which all events were sent
   */
  private async sendSettled(stream: LiveStream, from: Position, replayed: Set<string>): Promise<Position> {
    let position = from;
    for (;;) {
      const page = await this.pageOf(stream, position, new Date(this.clock.now() - LATEST_COMMIT_MS));
      for (const portion of portionsOf(page, replayed)) await this.sendPortion(stream, portion);
      for (const { id } of page) replayed.delete(id);
      position = page.at(-1) ?? position;
      if (page.length < HISTORY_PAGE) return position;
    }
  }

  /**
   * Sends the newest events, and records their ids.
   * @returns false if it stopped because `endsAt` has passed
   */
  private async sendUnsettled(
    stream: LiveStream,
    from: Position,
    replayed: Set<string>,
    endsAt = Infinity,
  ): Promise<boolean> {
    let position = from;
    for (;;) {
      const page = await this.pageOf(stream, position);
      for (const portion of portionsOf(page, replayed)) {
        if (this.clock.now() > endsAt) return false;
        for (const id of portion.ids) replayed.add(id);
        await this.sendPortion(stream, portion);
      }
      if (page.length < HISTORY_PAGE) return true;
      position = page.at(-1)!;
    }
  }

  private pageOf(stream: LiveStream, position: Position, until?: Date): Promise<ListedEvent[]> {
    // If the client has gone, nothing is left to send.
    return this.inTurn(() =>
      stream.isOver ? Promise.resolve([]) : this.history.page(stream.environment, stream.types, position, until),
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
    await stream.sendSlowly(events.map(frameOf).join(''));
  }
}

/** Events whose bodies are read at once. */
interface Portion {
  ids: string[];
  /** Total size of the bodies. */
  bytes: number;
}

/** Divides a page's events that the stream gets into portions of at most `PORTION_BYTES`, or of a single larger event. */
function* portionsOf(page: readonly ListedEvent[], replayed: ReadonlySet<string>): Generator<Portion> {
  let portion: Portion = { ids: [], bytes: 0 };
  for (const { id, bytes } of page) {
    if (bytes === null || replayed.has(id)) continue;
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
