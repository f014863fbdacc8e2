import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { newUuid } from '#contracts';

const FLUSH_MS = 500;
const BATCH = 1_000;

/** Indexes: the audit log is listed by time and by key. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS bare_audit (
    id uuid PRIMARY KEY, key_id uuid, masked_key text, method text, path text, route text, client_ip text, status int,
    request_id uuid, duration_ms float8, created_at timestamptz
  );
  CREATE INDEX IF NOT EXISTS bare_audit_time ON bare_audit (created_at);
  CREATE INDEX IF NOT EXISTS bare_audit_key ON bare_audit (key_id, created_at)`;

const INSERT = {
  name: 'audit',
  text: 'INSERT INTO bare_audit SELECT * FROM json_populate_recordset(NULL::bare_audit, $1)',
};

/** Stores one row per request, in batches. */
export class BareAudit {
  private rows: object[] = [];
  private timer?: NodeJS.Timeout;

  constructor(private readonly pool: Pool) {}

  async prepare(): Promise<void> {
    await this.pool.query(SCHEMA);
  }

  add(request: FastifyRequest, reply: FastifyReply): void {
    const now = new Date();
    this.rows.push({
      id: newUuid(now.getTime()),
      key_id: request.bare.keyId || null,
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
      await this.pool.query({ ...INSERT, values: [JSON.stringify(batch)] });
    }
  }
}
