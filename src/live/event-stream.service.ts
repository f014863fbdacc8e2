import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toPublicId } from '#contracts';
import { eventStreamHeaders } from '../core/http/lifecycle/event-stream';
import type { Caller } from '../core/http/lifecycle/request-context';
import { CatchUp } from './catch-up.service';
import type { EventStreamQuery } from './dto/event-stream-query.dto';
import { EventHistory, type Position } from './event-history.service';
import { selectTypes } from './event-selection';
import { LiveStream } from './live-stream';
import { LiveStreams } from './live-streams.service';

const LAST_EVENT_ID = 'Last-Event-ID';

@Injectable()
export class EventStreamService {
  private readonly logger = new Logger(EventStreamService.name);

  constructor(
    private readonly streams: LiveStreams,
    private readonly history: EventHistory,
    private readonly catchUp: CatchUp,
  ) {}

  /**
   * @returns the body of the answer
   * @throws ApiError RATE_LIMIT_EXCEEDED, INSUFFICIENT_PERMISSIONS, or INVALID_PARAMETER if the last event is not kept
   */
  async open(
    caller: Caller,
    { types, accounts, last_event_id }: EventStreamQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<LiveStream> {
    const selected = selectTypes(caller.scopes, types);
    const last = await this.lastPosition(caller, request, last_event_id);
    const newest = await this.history.newest(caller.environment);
    await this.streams.claimRoom(caller);
    const stream = new LiveStream(request, reply.raw, caller, selected, accounts?.split(','));
    await this.streams.admit(stream);
    if (last) void this.resume(stream, last);
    else this.streams.join(stream);
    eventStreamHeaders(reply);
    // A client whose connection breaks before its first event resumes after this event.
    if (newest !== undefined) void reply.header(LAST_EVENT_ID, toPublicId('event', newest));
    return stream;
  }

  /** The header takes precedence: `EventSource` sets it when it reconnects, but repeats the same query. */
  private async lastPosition(
    { environment }: Caller,
    { headers }: FastifyRequest,
    inQuery: string | undefined,
  ): Promise<Position | undefined> {
    const inHeader = headers['last-event-id'];
    if (inHeader) return this.catchUp.positionOf(environment, String(inHeader), LAST_EVENT_ID);
    return inQuery === undefined ? undefined : this.catchUp.positionOf(environment, inQuery, 'last_event_id');
  }

  private async resume(stream: LiveStream, last: Position): Promise<void> {
    try {
      await this.catchUp.run(stream, last, () => this.streams.join(stream));
    } catch (err) {
      this.logger.warn({ err }, 'An event stream could not catch up; its client may resume again');
      stream.destroy(err as Error);
    }
  }
}
