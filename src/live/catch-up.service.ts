import { Injectable } from '@nestjs/common';
import { fromPublicId } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { HISTORY_PAGE } from './event-history.rows';
import { EventHistory, type ListedEvent, type Position } from './event-history.service';
import { frameOf } from './live-event';
import { LATEST_COMMIT_MS } from './live-feed.service';
import type { LiveStream } from './live-stream';

/** Before every event of the same time. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Bytes read from the database at once for a stream. Together with the buffers of its connection less than `UNREAD_OF_STREAM`. */
const PORTION_BYTES = 65_536;

/** Sends a stream what its client has missed. */
@Injectable()
export class CatchUp {
  /** Ends when the reads of the history that were asked for have ended. */
  private reads: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly history: EventHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Where a stream resumes.
   * @param parameter names the id in a refusal
   * @throws ApiError INVALID_PARAMETER for an id that is not kept, or of the other environment
   */
  async positionOf(environment: LiveStream['environment'], publicId: string, parameter: string): Promise<Position> {
    const id = fromPublicId('event', publicId);
    const createdAt = id && (await this.history.createdAt(environment, id));
    if (createdAt) return { id, createdAt };
    throw ApiError.invalidParameter(parameter, 'must be the id of an event that is still kept', publicId.slice(0, 100));
  }

  /**
   * Sends what was created since, and up to 60 s before: events commit in another order than they are created in. Then the
   * stream takes part in the feed, and what committed in the meantime follows.
   * @param join begins to hand the stream the feed's events, which it holds
   */
  async run(stream: LiveStream, last: Position, join: () => void): Promise<void> {
    const replayed = new Set([last.id]);
    stream.replayed = replayed;
    let settled = before(last.createdAt);
    // A slow client takes longer than 60 s for the newest events; what settled since is read again, and its ids are forgotten.
    do settled = await this.sendSettled(stream, settled, replayed);
    while (!(await this.sendUnsettled(stream, settled, replayed, this.clock.now() + LATEST_COMMIT_MS)));
    stream.hold();
    join();
    await this.sendUnsettled(stream, settled, replayed);
    for (const event of stream.release()) if (!replayed.has(event.id)) stream.send(frameOf(event));
  }

  /**
   * Sends what was created more than 60 s ago. All of that has committed, so no id of it needs to be remembered.
   * @returns the position up to which all was sent
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
   * Sends the newest events, and notes their ids.
   * @returns false if it stopped because the time was up
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
    // Where the client has gone, nothing is left to send.
    return this.inTurn(() =>
      stream.isOver ? Promise.resolve([]) : this.history.page(stream.environment, stream.types, position, until),
    );
  }

  /** One read at a time: many streams that resume together leave the connections of the database to requests. */
  private inTurn<T>(read: () => Promise<T>): Promise<T> {
    const result = this.reads.then(read);
    this.reads = result.catch(() => undefined);
    return result;
  }

  /** Reads bodies once the client has taken those before. */
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

/** Events that are read at once. */
interface Portion {
  ids: string[];
  /** The size of their bodies. */
  bytes: number;
}

/** Divides the events of a page that the stream gets into portions: at most `PORTION_BYTES`, or a single event. */
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
