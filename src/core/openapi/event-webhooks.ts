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
    '`sha256=`, followed by the HMAC-SHA256 of the raw body, keyed with the secret, in lower-case hex.',
    'sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
  header(
    'X-Service-Signature-Previous',
    'Signature with the previous secret, sent for 24 hours after a change of the secret.',
    'sha256=60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
    false,
  ),
  header('X-Service-Event', 'Type of the event.', 'message.received'),
  header('X-Service-Delivery', 'Id of this attempt.', DELIVERY),
  header('X-Service-Timestamp', 'Time of the attempt, in Unix seconds.', '1769860800'),
  header('webhook-id', 'Id of the event (Standard Webhooks).', EVENT.example),
  header('webhook-timestamp', 'Time of the attempt, in Unix seconds (Standard Webhooks).', '1769860800'),
  header(
    'webhook-signature',
    'A signature for each valid secret, separated by spaces (Standard Webhooks).',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const RESPONSES = {
  '2XX': { description: 'The receiver accepted the event.' },
  '4XX': {
    description: 'The receiver rejects the event permanently; it is not retried. 410 also disables the webhook.',
  },
  '5XX': {
    description:
      'The receiver failed temporarily; the event is retried after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours.',
  },
};

/** The `webhooks` of the document: each event, as the gateway posts it to subscribed receivers. */
export const EVENT_WEBHOOKS = Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: delivery(type) }]));

function delivery(type: EventType) {
  const { description, schema } = EVENTS[type];
  return {
    operationId: `events.${type}`,
    tags: ['Events'],
    summary: `The event ${type}`,
    description: `${description} The receiver must respond within 30 seconds. An event may arrive more than once, with the same id.`,
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
              id: {
                type: 'string',
                pattern: EVENT.pattern,
                description: 'Id of the event; use it to recognize duplicates.',
              },
              type: { type: 'string', const: type, description: 'Type of the event.' },
              created_at: { type: 'string', format: 'date-time', description: 'When the event happened.' },
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
