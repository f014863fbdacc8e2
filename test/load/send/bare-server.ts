import { hash } from 'node:crypto';
import fastify from 'fastify';
import { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { LocalLimiter } from '../../../src/core/limits/local-limiter';
import { BareAudit } from './bare-audit';
import { confirmDeliveries } from './bare-confirmation';
import { BareEvents } from './bare-events';
import { BareSends } from './bare-sends';
import { WIDE } from './send-database';

/*
 * What somebody in a hurry would write who knows Fastify and pg well, and owes the same rows, limits and audit. No
 * framework, no classes to validate, no error catalogue.
 */

declare module 'fastify' {
  interface FastifyRequest {
    bare: { requestId: string; publicId: string; startedAt: number };
  }
}

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

const digest = (key: string) => hash('sha256', key, 'base64');
const KEY_ID = newUuid();
const KEYS = new Map([[digest(process.env['BARE_API_KEY']!), KEY_ID]]);
const KEY_WINDOWS = [
  { limit: WIDE, seconds: 60 },
  { limit: WIDE, seconds: 3_600 },
];
const SEND_WINDOWS = [{ limit: WIDE, seconds: 60 }];

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const events = new BareEvents(pool);
const sends = new BareSends(pool, events);
const audit = new BareAudit(pool, KEY_ID);
const limiter = new LocalLimiter(Date);
const app = fastify({ logger: false });

app.decorateRequest('bare');
app.addHook('onRequest', (request, reply, done) => {
  const requestId = newUuid();
  const publicId = toPublicId('request', requestId);
  request.bare = { requestId, publicId, startedAt: performance.now() };
  reply.header('x-request-id', publicId);
  const keyId = KEYS.get(digest(request.headers.authorization?.slice('Bearer '.length) ?? ''));
  if (keyId === undefined) {
    reply.code(401).send({ success: false });
    return;
  }
  const { allowed, limit, remaining, resetAt } = limiter.hit(`key:${keyId}`, KEY_WINDOWS);
  reply
    .header('x-ratelimit-limit', limit)
    .header('x-ratelimit-remaining', remaining)
    .header('x-ratelimit-reset', resetAt);
  if (allowed) done();
  else reply.code(429).send({ success: false });
});
app.addHook('onResponse', (request, reply, done) => {
  audit.add(request, reply);
  done();
});

app.post<{ Body: SendBody }>(
  '/api/v1/messages/send',
  { schema: { body: bodySchema, response: { 200: answerSchema } } },
  async (request, reply) => {
    if (!limiter.hit(`send:${KEY_ID}`, SEND_WINDOWS).allowed) return reply.code(429).send({ success: false });
    const { platform, recipient, message } = request.body;
    const { id, sentAt } = await sends.send(KEY_ID, platform, recipient, message);
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
process.on('SIGTERM', () => {
  clearInterval(confirmation);
  void app
    .close()
    .then(() => Promise.all([audit.flush(), events.stop()]))
    .then(() => process.exit(0));
});
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.exit(1), 1_000).unref();

void app.listen({ port: 0, host: '127.0.0.1' }).then((url) => console.log(`API ${url}/api/v1`));
