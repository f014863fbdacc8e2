import { createHash } from 'node:crypto';
import { Pool } from 'pg';
import { Pool as HttpPool } from 'undici';
import { newUuid, toPublicId } from '#contracts';
import { BareApp } from '../bare/bare-app';
import { WIDE } from '../bench-database';
import { BareSends } from './bare-sends';

/*
 * A server as a developer who knows Fastify and pg well would write it from scratch, with the gateway's guarantees: a message is
 * durable before it is sent, and never written twice; the first answer is repeated for each Idempotency-Key; limits; audit. A test
 * key sends nothing. No framework, no validation classes, no error catalogue.
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
const telegram = new HttpPool(process.env['TELEGRAM_URL']!, { connections: 64, pipelining: 1 });
const isLive = process.env['BARE_API_KEY']!.startsWith('service_sk_live_');
const sends = new BareSends(pool, async (chat, text) => {
  if (!isLive) return newUuid();
  const { body } = await telegram.request({
    method: 'POST',
    path: `/bot${process.env['TELEGRAM_BOT_TOKEN']!}/sendMessage`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: Number(chat), text }),
  });
  const answer = (await body.json()) as { ok: boolean; result: { message_id: number } };
  if (!answer.ok) throw new Error(`sendMessage: ${JSON.stringify(answer)}`);
  return `${chat}:${answer.result.message_id}`;
});
const app = new BareApp(pool, [{ limit: WIDE, seconds: 60 }]);

app.fastify.post<{ Body: SendBody }>(
  '/api/v1/messages/send',
  { schema: { body: bodySchema, response: { 200: answerSchema } } },
  async ({ body, bare, headers }, reply) => {
    const { platform, recipient, message } = body;
    const key = headers['idempotency-key'];
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([platform, recipient, message]))
      .digest();
    const claim = typeof key === 'string' ? { keyId: bare.keyId, key, fingerprint } : undefined;
    const sent = await sends.send(platform, recipient, message, claim);
    if (!sent) return reply.code(400).send({ success: false });
    const { id, sentAt } = sent;
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
