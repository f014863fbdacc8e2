import { EVENT_EXAMPLES, EVENT_TYPES, EVENTS, type EventType } from '#contracts';
import { publicIdSchema } from './api-id.decorator';
import { EXAMPLE_TIME } from './example-of';

const header = (name: string, description: string, example: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
});

const DELIVERY = publicIdSchema('delivery').example;
const EVENT = publicIdSchema('event');

/** The headers of a delivery, besides its media type. */
const HEADERS = [
  header(
    'X-Service-Signature',
    '`sha256=` and the HMAC-SHA256 of the exact body, keyed with the secret, in lower-case hex.',
    'sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
  header(
    'X-Service-Signature-Previous',
    'The same by the former secret, for 24 hours after a change.',
    'sha256=60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
    false,
  ),
  header('X-Service-Event', 'The type of the event.', 'message.received'),
  header('X-Service-Delivery', 'The id of this attempt.', DELIVERY),
  header('X-Service-Timestamp', 'When the attempt was made, in Unix seconds.', '1769860800'),
  header('webhook-id', 'The id of the event (Standard Webhooks).', EVENT.example),
  header('webhook-timestamp', 'When the attempt was made, in Unix seconds (Standard Webhooks).', '1769860800'),
  header(
    'webhook-signature',
    'A signature for each valid secret, separated by spaces (Standard Webhooks).',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const RESPONSES = {
  '2XX': { description: 'The receiver has taken the event.' },
  '4XX': { description: 'The receiver refuses the event for good: no retry. 410 also disables the webhook.' },
  '5XX': { description: 'The receiver failed for now: the event comes again after 1 minute, 5, 30, 2 hours and 12.' },
};

/** The `webhooks` of the document: each event, as the gateway posts it to subscribed receivers. */
export const EVENT_WEBHOOKS = Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: delivery(type) }]));

function delivery(type: EventType) {
  const { description, schema } = EVENTS[type];
  return {
    operationId: `events.${type}`,
    tags: ['Events'],
    summary: `The event ${type}`,
    description: `${description} The receiver answers within 30 seconds. The same event may come more than once, with the same id.`,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['id', 'type', 'created_at', 'data'],
            additionalProperties: false,
            properties: {
              id: { type: 'string', pattern: EVENT.pattern, description: 'The id of the event, for idempotency.' },
              type: { type: 'string', const: type, description: 'The type of the event.' },
              created_at: { type: 'string', format: 'date-time', description: 'When it happened.' },
              data: { ...schema, description },
            },
          },
          example: { id: EVENT.example, type, created_at: EXAMPLE_TIME, data: EVENT_EXAMPLES[type] },
        },
      },
    },
    responses: RESPONSES,
  };
}
