import { hash } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { LocalLimiter } from '../../src/core/rate-limiting/local-limiter';
import { BareAudit } from './bare-audit';
import { WIDE } from './bench-database';

declare module 'fastify' {
  interface FastifyRequest {
    bare: { requestId: string; publicId: string; startedAt: number };
  }
}

const KEY_WINDOWS = [
  { limit: WIDE, seconds: 60 },
  { limit: WIDE, seconds: 3_600 },
];

const digest = (key: string) => hash('sha256', key, 'base64');

/** What a bare server owes for each request, whatever it does: the key of `BARE_API_KEY` checked, two limits, audit. */
export class BareApp {
  readonly keyId = newUuid();
  readonly limiter = new LocalLimiter(Date);
  readonly fastify: FastifyInstance = fastify({ logger: false });
  private readonly audit: BareAudit;

  constructor(pool: Pool) {
    this.audit = new BareAudit(pool, this.keyId);
    const keys = new Map([[digest(process.env['BARE_API_KEY']!), this.keyId]]);
    this.fastify.decorateRequest('bare');
    this.fastify.addHook('onRequest', (request, reply, done) => {
      const requestId = newUuid();
      const publicId = toPublicId('request', requestId);
      request.bare = { requestId, publicId, startedAt: performance.now() };
      reply.header('x-request-id', publicId);
      const keyId = keys.get(digest(request.headers.authorization?.slice('Bearer '.length) ?? ''));
      if (keyId === undefined) {
        reply.code(401).send({ success: false });
        return;
      }
      const { allowed, limit, remaining, resetAt } = this.limiter.hit(`key:${keyId}`, KEY_WINDOWS);
      reply
        .header('x-ratelimit-limit', limit)
        .header('x-ratelimit-remaining', remaining)
        .header('x-ratelimit-reset', resetAt);
      if (allowed) done();
      else reply.code(429).send({ success: false });
    });
    this.fastify.addHook('onResponse', (request, reply, done) => {
      this.audit.add(request, reply);
      done();
    });
  }

  /** Listens on a free port and says where; ends on SIGTERM, or with its parent. @param flush what else waits to be written */
  serve(flush?: () => Promise<void>): void {
    process.on('SIGTERM', () => {
      void this.fastify
        .close()
        .then(() => Promise.all([this.audit.flush(), flush?.()]))
        .then(() => process.exit(0));
    });
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && process.exit(1), 1_000).unref();
    void this.fastify.listen({ port: 0, host: '127.0.0.1' }).then((url) => console.log(`API ${url}/api/v1`));
  }
}
