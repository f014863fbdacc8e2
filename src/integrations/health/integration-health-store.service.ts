import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ANNOUNCE } from '../../core/database/database-listener.service';
import { Database } from '../../core/database/database.service';
import type { DirectionHealth, HealthSubject } from './direction-health';
import { IntegrationHealthEntity } from '../entities/integration-health.entity';
import { RECORD } from './integration-health.rows';

/** The channel on which each write is announced. */
export const INTEGRATION_HEALTH_CHANGED = 'integration_health';

export type KnownHealth = [HealthSubject, DirectionHealth];

/** The health of each direction in the database, shared by all instances. */
@Injectable()
export class IntegrationHealthStore {
  constructor(
    @InjectRepository(IntegrationHealthEntity) private readonly rows: Repository<IntegrationHealthEntity>,
    private readonly database: Database,
  ) {}

  async all(): Promise<KnownHealth[]> {
    return (await this.rows.find()).map(({ environment, platform, account, direction, ...row }) => [
      { environment, platform, account, direction },
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

  /** Merges observations into the rows in one statement, and announces the write. */
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
