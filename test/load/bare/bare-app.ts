import { hash } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { WIDE } from '../bench-database';
import { BareAudit } from './bare-audit';
import { BareLimiter, type BareWindow } from './bare-limiter';
import { serveBare } from './serve-bare';

declare module 'fastify' {
  interface FastifyRequest {
    bare: { requestId: string; publicId: string; startedAt: number };
  }
}

const digest = (key: string) => hash('sha256', key, 'base64');

/** What a bare server owes for each request, whatever it does: the key of `BARE_API_KEY` checked, two limits, audit. */
export class BareApp {
  readonly keyId = newUuid();
  private readonly limiter = new BareLimiter();
  private readonly windows: BareWindow[];
  readonly fastify: FastifyInstance = fastify({ logger: false });
  private readonly audit: BareAudit;

  /** @param further windows that a request counts in, beside the minute and the hour of its key */
  constructor(pool: Pool, further: readonly Pick<BareWindow, 'limit' | 'seconds'>[] = []) {
    this.windows = [
      ...[60, 3_600].map((seconds) => ({ key: this.keyId, limit: WIDE, seconds })),
      ...further.map((window) => ({ key: `further:${this.keyId}`, ...window })),
    ];
    this.audit = new BareAudit(pool, this.keyId);
    const keys = new Map([[digest(process.env['BARE_API_KEY']!), this.keyId]]);
    this.fastify.decorateRequest('bare');
    this.fastify.addHook('onRequest', async (request, reply) => {
      const requestId = newUuid();
      const publicId = toPublicId('request', requestId);
      request.bare = { requestId, publicId, startedAt: performance.now() };
      reply.header('x-request-id', publicId);
      const keyId = keys.get(digest(request.headers.authorization?.slice('Bearer '.length) ?? ''));
      if (keyId === undefined) {
        return reply.code(401).send({ success: false });
      }
      const { allowed, remaining } = await this.limiter.hit(this.windows);
      reply.header('x-ratelimit-limit', WIDE).header('x-ratelimit-remaining', remaining);
      return allowed ? undefined : reply.code(429).send({ success: false });
    });
    this.fastify.addHook('onResponse', (request, reply, done) => {
      this.audit.add(request, reply);
      done();
    });
  }

  /** @param prepare makes its tables */
  serve(prepare: () => Promise<void> = () => Promise.resolve()): void {
    serveBare(
      this.fastify,
      () => Promise.all([this.audit.prepare(), prepare()]),
      () => this.audit.flush(),
    );
  }
}
