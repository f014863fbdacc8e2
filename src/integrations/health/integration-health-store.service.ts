import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ANNOUNCE } from '../../core/database/database-listener.service';
import { Database, statement } from '../../core/database/database.service';
import type { DirectionHealth, HealthSubject } from './direction-health';
import { IntegrationHealthEntity } from '../entities/integration-health.entity';

/** The channel on which each write is announced. */
export const INTEGRATION_HEALTH_CHANGED = 'integration_health';

/** Each fact on its own, the newest of it: instances write in any order. */
const RECORD = statement(
  'integration-health-record',
  `INSERT INTO integration_health AS h
     (environment, platform, direction, last_success_at, last_error_at, last_error_code, last_error, backlog, backlog_at)
   SELECT environment, platform, direction, last_success_at, last_error_at, last_error_code, last_error, backlog, backlog_at
   FROM json_to_recordset($1::json) AS n(environment environment, platform text, direction text, last_success_at timestamptz,
     last_error_at timestamptz, last_error_code text, last_error text, backlog integer, backlog_at timestamptz)
   -- In one order on every instance: two that write the same rows must not wait for each other.
   ORDER BY environment, platform, direction
   ON CONFLICT (environment, platform, direction) DO UPDATE SET
     last_success_at = greatest(h.last_success_at, excluded.last_success_at),
     last_error_at = greatest(h.last_error_at, excluded.last_error_at),
     last_error_code = CASE WHEN excluded.last_error_at >= coalesce(h.last_error_at, '-infinity')
       THEN excluded.last_error_code ELSE h.last_error_code END,
     last_error = CASE WHEN excluded.last_error_at >= coalesce(h.last_error_at, '-infinity')
       THEN excluded.last_error ELSE h.last_error END,
     backlog = CASE WHEN excluded.backlog_at >= coalesce(h.backlog_at, '-infinity') THEN excluded.backlog ELSE h.backlog END,
     backlog_at = greatest(h.backlog_at, excluded.backlog_at)`,
);

export type KnownHealth = [HealthSubject, DirectionHealth];

/** The rows of what is known of each direction, for all instances. */
@Injectable()
export class IntegrationHealthStore {
  constructor(
    @InjectRepository(IntegrationHealthEntity) private readonly rows: Repository<IntegrationHealthEntity>,
    private readonly database: Database,
  ) {}

  async all(): Promise<KnownHealth[]> {
    return (await this.rows.find()).map(({ environment, platform, direction, ...row }) => [
      { environment, platform, direction },
      {
        lastSuccessAt: row.lastSuccessAt?.getTime() ?? null,
        lastErrorAt: row.lastErrorAt?.getTime() ?? null,
        lastErrorCode: row.lastErrorCode,
        lastError: row.lastError,
        backlog: row.backlog,
        backlogAt: row.backlogAt?.getTime() ?? null,
      },
    ]);
  }

  /** Adds to what is known, in one statement. */
  async record(known: readonly KnownHealth[]): Promise<void> {
    const rows = known.map(([subject, health]) => ({
      ...subject,
      last_success_at: iso(health.lastSuccessAt),
      last_error_at: iso(health.lastErrorAt),
      last_error_code: health.lastErrorCode,
      last_error: health.lastError,
      backlog: health.backlog,
      backlog_at: iso(health.backlogAt),
    }));
    await this.database.query(RECORD, [JSON.stringify(rows)]);
    await this.database.query(ANNOUNCE, [INTEGRATION_HEALTH_CHANGED, '']);
  }
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
