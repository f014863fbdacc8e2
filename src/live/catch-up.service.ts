import { Injectable } from '@nestjs/common';
import { fromPublicId } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { EventHistory, HISTORY_PAGE, type Position } from './event-history.service';
import { frameOf } from './live-event';
import { LATEST_COMMIT_MS } from './live-feed.service';
import type { LiveStream } from './live-stream';

/** Before every event of the same time. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Sends a stream what its client has missed. */
@Injectable()
export class CatchUp {
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
    const overlap = new Date(this.clock.now() - LATEST_COMMIT_MS);
    const replayed = new Set([last.id]);
    stream.replayed = replayed;
    await this.send(stream, before(last.createdAt), overlap, replayed);
    stream.hold();
    join();
    await this.send(stream, { createdAt: overlap, id: FIRST_ID }, overlap, replayed);
    for (const event of stream.release()) if (!replayed.has(event.id)) stream.send(frameOf(event));
  }

  /** @param noted ids of events since `overlap` are noted in `replayed`, and go once */
  private async send(stream: LiveStream, from: Position, overlap: Date, replayed: Set<string>): Promise<void> {
    let position = from;
    for (;;) {
      if (stream.isOver) return;
      const page = await this.history.page(stream.environment, stream.types, position);
      for (const { id, type, body, createdAt } of page) {
        if (body === null || replayed.has(id)) continue;
        if (createdAt >= overlap) replayed.add(id);
        await stream.sendSlowly(frameOf({ id, type, body }));
      }
      if (page.length < HISTORY_PAGE) return;
      position = page.at(-1)!;
    }
  }
}

function before(time: Date): Position {
  return { createdAt: new Date(time.getTime() - LATEST_COMMIT_MS), id: FIRST_ID };
}
