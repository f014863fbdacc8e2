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
    bare: { keyId: string; requestId: string; publicId: string; startedAt: number };
  }
}

const digest = (key: string) => hash('sha256', key, 'base64');

/** The work of a bare server for every request: checks the key against `BARE_API_KEY`, counts two limits, writes an audit row. */
export class BareApp {
  private readonly limiter = new BareLimiter();
  readonly fastify: FastifyInstance = fastify({ logger: false });
  private readonly audit: BareAudit;

  /** @param further rate limit windows in addition to the minute and the hour of the key */
  constructor(pool: Pool, further: readonly Pick<BareWindow, 'limit' | 'seconds'>[] = []) {
    this.audit = new BareAudit(pool);
    const windowsOf = (keyId: string): BareWindow[] => [
      ...[60, 3_600].map((seconds) => ({ key: keyId, limit: WIDE, seconds })),
      ...further.map((window) => ({ key: `further:${keyId}`, ...window })),
    ];
    const known = process.env['BARE_API_KEY']!.split(',').map((key) => {
      const keyId = newUuid();
      return [digest(key), { keyId, windows: windowsOf(keyId) }] as const;
    });
    const keys = new Map(known);
    this.fastify.decorateRequest('bare');
    this.fastify.addHook('onRequest', async (request, reply) => {
      const requestId = newUuid();
      const publicId = toPublicId('request', requestId);
      reply.header('x-request-id', publicId);
      const key = keys.get(digest(request.headers.authorization?.slice('Bearer '.length) ?? ''));
      request.bare = { keyId: key?.keyId ?? '', requestId, publicId, startedAt: performance.now() };
      if (key === undefined) return reply.code(401).send({ success: false });
      const { allowed, remaining } = await this.limiter.hit(key.windows);
      reply.header('x-ratelimit-limit', WIDE).header('x-ratelimit-remaining', remaining);
      return allowed ? undefined : reply.code(429).send({ success: false });
    });
    this.fastify.addHook('onResponse', (request, reply, done) => {
      this.audit.add(request, reply);
      done();
    });
  }

  /** @param prepare creates the tables */
  serve(prepare: () => Promise<void> = () => Promise.resolve()): void {
    serveBare(
      this.fastify,
      () => Promise.all([this.audit.prepare(), prepare()]),
      () => this.audit.flush(),
    );
  }
}
