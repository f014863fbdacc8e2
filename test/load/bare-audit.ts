import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { newUuid } from '#contracts';
import { INSERT_AUDIT } from '../../src/admin/audit/audit-trail.service';

const FLUSH_MS = 500;
const BATCH = 1_000;

/** One row per request, in batches, with the gateway's statement. */
export class BareAudit {
  private rows: object[] = [];
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly pool: Pool,
    private readonly keyId: string,
  ) {}

  add(request: FastifyRequest, reply: FastifyReply): void {
    const now = new Date();
    this.rows.push({
      id: newUuid(now.getTime()),
      environment: 'test',
      api_key_id: this.keyId,
      masked_key: 'service_sk_test_…chbe',
      method: request.method,
      path: request.url,
      route: request.routeOptions.url,
      client_ip: request.ip,
      status: reply.statusCode,
      request_id: request.bare.requestId,
      duration_ms: performance.now() - request.bare.startedAt,
      created_at: now.toISOString(),
    });
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.rows.length > 0) {
      const batch = this.rows.splice(0, BATCH);
      await this.pool.query({ ...INSERT_AUDIT, values: [JSON.stringify(batch)] });
    }
  }
}
