import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newUuid } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { databaseErrorOf, UNIQUE_VIOLATION } from '../../core/database/connections/data-fault';
import { Database } from '../../core/database/database.service';
import { Metrics } from '../../core/observability/metrics.service';
import { Batcher } from '../../core/work/batcher';
import { CredentialsCheck } from '../../core/http/credentials-check.port';
import type { ParserRefusal } from '../../core/http/hardening/client-errors';
import type { ResponseListener } from '../../core/http/lifecycle/on-response-sent';
import { isApi, routeOf, statusOf, toCredentials } from '../../core/http/lifecycle/request-context';
import { pathOf } from '../../core/http/lifecycle/request-target';
import { Refusals } from '../../core/rate-limiting/refusals.service';
import { auditedPath, INSERT_AUDIT, INSERT_NEW_AUDIT, type AuditRow } from './audit.rows';
import { SharedRows } from './shared-rows';

const FLUSH_MS = 500;
const BATCH = 1_000;
/** Entries held while the database is unavailable or slow; above this, the trail drops, counts and logs the oldest. */
const CAPACITY = 50_000;
/** Stands for the method or path of a request that cannot be parsed. */
const UNREADABLE = '-';
/** Callbacks, health, metrics and pages are no API requests. */
const NOT_AUDITED = /^\/(?:callbacks|health|metrics|docs|dashboard)(?![\w])/;

/**
 * Writes one row per API request, including refused ones; addresses and keys that are refused often share rows. Rows
 * are written in batches outside of the request: a crash loses at most the last second.
 */
@Injectable()
export class AuditTrail implements ResponseListener, BeforeApplicationShutdown {
  private readonly logger = new Logger(AuditTrail.name);
  private dropped = 0;
  private readonly shared = new SharedRows();
  private readonly entries = new Batcher<AuditRow>((rows) => this.write(rows), {
    gatherMs: FLUSH_MS,
    retryMs: FLUSH_MS,
    size: BATCH,
    capacity: CAPACITY,
    onFailure: (err, waiting) =>
      this.logger.warn(
        { err },
        waiting > 0 ? `${waiting} audit entries are waiting for the database` : 'Audit entries could not be written',
      ),
    onDropped: (count) => this.overflowed(count),
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly refusals: Refusals,
    private readonly credentials: CredentialsCheck,
  ) {}

  install(fastify: FastifyInstance): void {
    // The server answers requests until it closes, which happens after the shutdown hook below.
    fastify.addHook('onClose', () => this.entries.close());
  }

  answered(request: FastifyRequest, reply: FastifyReply): void {
    if (isApi(request)) this.add(request, reply);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.entries.flush();
  }

  /** Records a request that Node's parser refused. It counts against its address unless it has a cached key. */
  refused({ method, path = UNREADABLE, key, clientIp, status, requestId }: ParserRefusal): void {
    if (NOT_AUDITED.test(path)) return;
    const credentials = key === undefined ? undefined : toCredentials(key);
    const caller = credentials && this.credentials.cached(credentials.text);
    const now = this.clock.now();
    const row = {
      id: newUuid(now),
      environment: credentials?.environment ?? null,
      api_key_id: caller?.keyId ?? null,
      masked_key: credentials?.masked ?? null,
      method: method ?? UNREADABLE,
      path: auditedPath(path),
      route: null,
      client_ip: clientIp,
      status,
      request_id: requestId,
      duration_ms: 0,
      created_at: new Date(now).toISOString(),
    };
    const isFirst = caller ? this.refusals.countOfKey(caller.keyId) : this.refusals.count(clientIp);
    this.push(row, !isFirst);
  }

  private add(request: FastifyRequest, reply: FastifyReply): void {
    const { id, startedAt, clientIp, credentials, sharedAuditRow } = request.gateway;
    const caller = request.gateway.caller ?? sharedAuditRow?.caller;
    const now = this.clock.now();
    const row = {
      id: newUuid(now),
      environment: credentials?.environment ?? null,
      api_key_id: caller?.keyId ?? null,
      masked_key: credentials?.masked ?? null,
      method: request.method,
      path: auditedPath(pathOf(request.url)),
      route: routeOf(request) ?? null,
      client_ip: clientIp,
      status: statusOf(request, reply),
      request_id: id,
      duration_ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
      created_at: new Date(now).toISOString(),
    };
    this.push(row, sharedAuditRow !== undefined);
  }

  private push(row: AuditRow, isShared = false): void {
    const entry = isShared ? this.shared.add(row, Date.parse(row.created_at)) : row;
    if (entry) this.entries.push(entry);
  }

  private async write(rows: readonly AuditRow[]): Promise<void> {
    this.shared.taken(rows);
    // After a failed write, a shared row may be in the batch twice.
    await this.insert([...new Set(rows)]);
    if (this.dropped === 0) return;
    this.logger.error(`${this.dropped} audit entries were dropped in total: the database was unavailable for too long`);
    this.dropped = 0;
  }

  private async insert(rows: readonly AuditRow[]): Promise<void> {
    const values = [JSON.stringify(rows)];
    const areNew = rows.every(({ count }) => count === undefined);
    try {
      await this.database.query(areNew ? INSERT_NEW_AUDIT : INSERT_AUDIT, values);
    } catch (error) {
      // An earlier write with an unknown outcome succeeded.
      if (databaseErrorOf(error)?.code !== UNIQUE_VIOLATION) throw error;
      await this.database.query(INSERT_AUDIT, values);
    }
  }

  /** Logs the first drop, because the process may end before it logs the total. */
  private overflowed(count: number): void {
    if (this.dropped === 0)
      this.logger.error('The oldest audit entries are being dropped: too many are waiting for the database');
    this.dropped += count;
    this.metrics.auditEntriesDropped(count);
  }
}
