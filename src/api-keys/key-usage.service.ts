import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../core/clock/clock.service';
import { Database, statement } from '../core/database/database.service';
import type { ResponseListener } from '../core/http/lifecycle/on-response-sent';
import { FlushTimer } from '../core/jobs/flush-timer';

const FLUSH_MS = 1_000;

const RECORD = statement(
  'api-key-used',
  `UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)
   FROM unnest($1::uuid[], $2::timestamptz[]) AS u(id, at) WHERE k.id = u.id AND k.revoked_at IS NULL`,
);

/** Notes when keys were last presented: at most one write per second, whatever the traffic. */
@Injectable()
export class KeyUsage implements ResponseListener, BeforeApplicationShutdown {
  private readonly logger = new Logger(KeyUsage.name);
  private used = new Map<string, number>();
  private readonly flush = new FlushTimer(() => this.write(), FLUSH_MS);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  answered({ gateway }: FastifyRequest): void {
    const keyId = gateway?.caller?.keyId;
    if (keyId === undefined) return;
    this.used.set(keyId, this.clock.now());
    this.flush.soon();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush.now();
  }

  /** What cannot be written is forgotten: the next use says the same. */
  private async write(): Promise<void> {
    if (this.used.size === 0) return;
    // In one order on every instance: two updates of the same rows must not wait for each other.
    const uses = [...this.used].sort(([a], [b]) => (a < b ? -1 : 1));
    this.used = new Map();
    try {
      await this.database.query(RECORD, [uses.map(([id]) => id), uses.map(([, at]) => new Date(at))]);
    } catch (error) {
      this.logger.debug({ err: error }, 'The last use of keys could not be noted');
    }
  }
}
