import { Pool } from 'pg';
import { toPublicId } from '#contracts';
import { BareApp } from '../bare/bare-app';
import { WIDE } from '../bench-database';
import { BareSends } from './bare-sends';

/*
 * What a developer who knows Fastify and pg well would write from scratch, and promises the same: durable before it is sent,
 * limits, audit. No framework, no classes to validate, no error catalogue.
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

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const sends = new BareSends(pool);
const app = new BareApp(pool, [{ limit: WIDE, seconds: 60 }]);

app.fastify.post<{ Body: SendBody }>(
  '/api/v1/messages/send',
  { schema: { body: bodySchema, response: { 200: answerSchema } } },
  async ({ body, bare }) => {
    const { platform, recipient, message } = body;
    const { id, sentAt } = await sends.send(platform, recipient, message);
    return {
      success: true,
      data: {
        message_id: toPublicId('message', id),
        platform,
        recipient,
        status: 'sent',
        sent_at: sentAt.toISOString(),
      },
      meta: { request_id: bare.publicId, timestamp: new Date().toISOString() },
    };
  },
);

app.serve(() => sends.prepare());
