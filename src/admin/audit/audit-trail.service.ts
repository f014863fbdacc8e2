import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newUuid, sanitizeText, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { Metrics } from '../../core/observability/metrics.service';
import { Batcher } from '../../core/jobs/batcher';
import type { ResponseListener } from '../../core/http/lifecycle/on-response-sent';
import { isApi, routeOf } from '../../core/http/lifecycle/request-context';
import { pathOf } from '../../core/http/lifecycle/request-target';

const FLUSH_MS = 500;
const BATCH = 1_000;
/** Entries held while the database is unavailable or slow; past that the trail drops, counts and logs the oldest. */
const CAPACITY = 50_000;
/** Longest path stored, in characters. */
const LONGEST_PATH = 2_048;

/** The trail runs it again when the outcome of the first run is unknown: it leaves existing entries unchanged. */
export const INSERT_AUDIT = statement(
  'audit-insert',
  `INSERT INTO audit_log (id, environment, api_key_id, masked_key, method, path, route, client_ip, status, request_id, duration_ms, created_at)
   SELECT * FROM json_to_recordset($1::json) AS a(id uuid, environment environment, api_key_id uuid, masked_key text, method text,
     path text, route text, client_ip text, status integer, request_id uuid, duration_ms double precision, created_at timestamptz)
   ON CONFLICT (id) DO NOTHING`,
);

interface AuditRow {
  id: string;
  environment: Environment | null;
  api_key_id: string | null;
  masked_key: string | null;
  method: string;
  path: string;
  route: string | null;
  client_ip: string;
  status: number;
  request_id: string;
  duration_ms: number;
  created_at: string;
}

/** One row per API request, refused ones too. Written in batches off the request path: a crash loses at most the last second. */
@Injectable()
export class AuditTrail implements ResponseListener, BeforeApplicationShutdown {
  private readonly logger = new Logger(AuditTrail.name);
  private dropped = 0;
  private readonly entries = new Batcher<AuditRow>((rows) => this.write(rows), {
    gatherMs: FLUSH_MS,
    retryMs: FLUSH_MS,
    size: BATCH,
    capacity: CAPACITY,
    onFailure: (err, waiting) => this.logger.warn({ err }, `${waiting} audit entries wait for the database`),
    onDropped: (count) => this.overflowed(count),
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  install(fastify: FastifyInstance): void {
    // The server answers requests until it has closed, which is after the shutdown hook below.
    fastify.addHook('onClose', () => this.entries.flush());
  }

  answered(request: FastifyRequest, reply: FastifyReply): void {
    if (isApi(request)) this.add(request, reply);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.entries.flush();
  }

  private add(request: FastifyRequest, reply: FastifyReply): void {
    const { id, startedAt, clientIp, credentials, caller } = request.gateway;
    const now = this.clock.now();
    this.entries.push({
      id: newUuid(now),
      environment: credentials?.environment ?? null,
      api_key_id: caller?.keyId ?? null,
      masked_key: credentials?.masked ?? null,
      method: request.method,
      // A path with a masked key is no longer escaped: it may hold any character.
      path: sanitizeText(pathOf(request.url), LONGEST_PATH),
      route: routeOf(request) ?? null,
      client_ip: clientIp,
      status: reply.statusCode,
      request_id: id,
      duration_ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
      created_at: new Date(now).toISOString(),
    });
  }

  private async write(rows: readonly AuditRow[]): Promise<void> {
    await this.database.query(INSERT_AUDIT, [JSON.stringify(rows)]);
    if (this.dropped === 0) return;
    this.logger.error(`${this.dropped} audit entries were dropped in all: the database was unavailable for too long`);
    this.dropped = 0;
  }

  /** Logs the first drop, as the process may end before it can log the sum. */
  private overflowed(count: number): void {
    if (this.dropped === 0)
      this.logger.error('The oldest audit entries are being dropped: too many wait for the database');
    this.dropped += count;
    this.metrics.auditEntriesDropped(count);
  }
}
