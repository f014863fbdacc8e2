import { Pool } from 'pg';
import { toPublicId } from '#contracts';
import { BareApp } from '../bare-app';
import { WIDE } from '../bench-database';
import { confirmDeliveries } from './bare-confirmation';
import { BareEvents } from '../bare-events';
import { BareSends } from './bare-sends';

/*
 * What somebody in a hurry would write who knows Fastify and pg well, and owes the same rows, limits and audit. No
 * framework, no classes to validate, no error catalogue.
 */

interface SendBody {
  platform: string;
  recipient: string;
  message: string;
}

const string = { type: 'string' } as const;
const bodySchema = {
  type: 'object',
  required: ['platform', 'recipient', 'message'],
  additionalProperties: false,
  properties: {
    platform: { type: 'string', enum: ['whatsapp', 'telegram', 'discord'] },
    recipient: { type: 'string', minLength: 1, maxLength: 256 },
    message: { type: 'string', minLength: 1, maxLength: 16_384 },
  },
};
const answerSchema = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    data: {
      type: 'object',
      properties: { message_id: string, platform: string, recipient: string, status: string, sent_at: string },
    },
    meta: { type: 'object', properties: { request_id: string, timestamp: string } },
  },
};

const SEND_WINDOWS = [{ limit: WIDE, seconds: 60 }];

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const events = new BareEvents(pool);
const sends = new BareSends(pool, events);
const app = new BareApp(pool);

app.fastify.post<{ Body: SendBody }>(
  '/api/v1/messages/send',
  { schema: { body: bodySchema, response: { 200: answerSchema } } },
  async (request, reply) => {
    if (!app.limiter.hit(`send:${app.keyId}`, SEND_WINDOWS).allowed) return reply.code(429).send({ success: false });
    const { platform, recipient, message } = request.body;
    const { id, sentAt } = await sends.send(app.keyId, platform, recipient, message);
    return {
      success: true,
      data: {
        message_id: toPublicId('message', id),
        platform,
        recipient,
        status: 'sent',
        sent_at: sentAt.toISOString(),
      },
      meta: { request_id: request.bare.publicId, timestamp: new Date().toISOString() },
    };
  },
);

const confirmation = confirmDeliveries(pool, events);
app.serve(() => {
  clearInterval(confirmation);
  return events.stop();
});
