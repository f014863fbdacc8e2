import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiEventStream } from './dto/event-stream.answer';
import { EventStreamQuery } from './dto/event-stream-query.dto';
import { EventDto } from './dto/event.dto';
import { EventReader } from './event-reader.service';
import { EventStreamService } from './event-stream.service';

@ApiTags('Events')
@Controller({ path: 'events', version: '1' })
export class EventsController {
  constructor(
    private readonly streams: EventStreamService,
    private readonly events: EventReader,
  ) {}

  @Get('stream')
  @RequireScope('read:messages', 'read:status', 'read:conversations')
  @ApiOperation({
    summary: 'Stream events as they happen',
    description: `Server-sent events: \`id\` is the event's id, \`event\` its type, and \`data\` the JSON that webhooks get.
\`message.*\` and \`attachment.*\` require the scope \`read:messages\`, \`conversation.*\` requires \`read:conversations\`, other types \`read:status\`. After a
disconnect, resume with \`Last-Event-ID\`: the stream repeats events from up to 60 seconds before that event, so ignore ids that you have seen. \`: ping\` is sent every 15
seconds. A key may have 10 open streams on each instance; a stream counts as one request. When the key expires or is revoked, the stream ends with \`event: end\`.`,
  })
  @ApiEventStream()
  stream(
    @CurrentCaller() caller: Caller,
    @Query() query: EventStreamQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.streams.open(caller, query, request, reply);
  }

  @Get(':event_id')
  @RequireScope('read:messages', 'read:status', 'read:conversations')
  @ApiOperation({
    summary: 'Read an event',
    description:
      'Returns an event as webhooks get it. Requires the scope that the stream requires for events of this type. With `admin:settings` the response includes the attempts to deliver it.',
  })
  @ApiEnvelope(EventDto)
  get(@CurrentCaller() caller: Caller, @IdParam('event_id', 'event', 'Id of the event.') id: string) {
    return this.events.read(caller, id);
  }
}
