import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { EVENTS, EVENT_TYPES, type EventType } from '#contracts';
import { EXAMPLE_TIME } from '../../core/openapi/example-of';
import { endFrame } from '../live-event';

const EXAMPLE_ID = 'evt_01h455vb4pex5vsknk084sn02q';
/** Why the gateway ends a stream. */
const END_CODES = ['INVALID_API_KEY', 'API_KEY_EXPIRED', 'IP_NOT_ALLOWED'];

const text = (description: string) => ({ type: 'string', description });

function schemaOf(type: EventType) {
  const properties = {
    id: text('Id of the event.'),
    type: { const: type, ...text('Type of the event.') },
    created_at: { format: 'date-time', ...text('When the event was created.') },
    data: EVENTS[type].schema,
  };
  return { type: 'object', description: EVENTS[type].description, required: Object.keys(properties), properties };
}

const END = {
  type: 'object',
  description: 'Data of `event: end`.',
  required: ['code'],
  properties: { code: { enum: END_CODES, ...text('Why the stream ends.') } },
};

const EXAMPLE = {
  id: EXAMPLE_ID,
  type: 'ai.error',
  created_at: EXAMPLE_TIME,
  data: {
    environment: 'live',
    request_id: 'req_01h455vb4pex5vsknk084sn02q',
    conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
    model: 'claude-sonnet-5-5',
    error: { type: 'overloaded', message: 'Overloaded', retryable: true },
  },
};
const EXAMPLE_FRAME = `id: ${EXAMPLE_ID}\nevent: ${EXAMPLE.type}\ndata: ${JSON.stringify(EXAMPLE)}\n\n`;

const STREAM = {
  schema: {
    type: 'string',
    description:
      'Server-sent events, each with the name of its type and the JSON that webhooks get. `end` follows when the key expires or is revoked.',
    contentMediaType: 'text/event-stream',
    contentSchema: { description: 'Data of one event, as JSON.', anyOf: [...EVENT_TYPES.map(schemaOf), END] },
  },
  examples: {
    event: { summary: 'An event', value: EXAMPLE_FRAME },
    end: { summary: 'The key was revoked', value: EXAMPLE_FRAME + endFrame('INVALID_API_KEY') },
  },
};

/** Documents the stream, and the header that resumes it. */
export function ApiEventStream(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'Resume after this event. Takes precedence over `last_event_id`.',
      schema: { type: 'string', maxLength: 100 },
      example: EXAMPLE_ID,
    }),
    ApiResponse({
      status: 200,
      description:
        'Event stream. Its header `Last-Event-ID` is the newest event when the stream starts, if there is one.',
      content: { 'text/event-stream': STREAM },
    }),
  );
}
