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
\`message.*\` and \`attachment.*\` need the scope \`read:messages\`, \`conversation.*\` needs \`read:conversations\`, every other type \`read:status\`. After a
break, resume with \`Last-Event-ID\`: the stream repeats up to 60 seconds before that event, so drop ids that you have seen. \`: ping\` comes every 15 seconds. A key has at
most 10 open streams on each instance; a stream counts as one request. When the key ends, the stream ends with \`event: end\`.`,
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
      'The event as webhooks get it. It needs the scope that the stream needs for events of its type. With `admin:settings` the answer also has the attempts to deliver it.',
  })
  @ApiEnvelope(EventDto)
  get(@CurrentCaller() caller: Caller, @IdParam('event_id', 'event', 'The event.') id: string) {
    return this.events.read(caller, id);
  }
}
