import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, statement } from '../database/database.service';
import { PeriodicJob, PERIODIC_BATCH } from '../jobs/periodic-job';

const INTERVAL_MS = 3_600_000;

const FORGET = statement(
  'idempotency-forget',
  `DELETE FROM idempotent_requests WHERE (api_key_id, key) IN (
     SELECT api_key_id, key FROM idempotent_requests WHERE created_at < now() - interval '24 hours'
     ORDER BY created_at LIMIT ${PERIODIC_BATCH} FOR UPDATE SKIP LOCKED
   ) RETURNING 1`,
);

/** Deletes what is no longer replayed. */
@Injectable()
export class IdempotencyRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sweep: PeriodicJob;

  constructor(database: Database) {
    const deleteBatch = async () => (await database.query(FORGET, [])).length === PERIODIC_BATCH;
    const logger = new Logger(IdempotencyRetention.name);
    this.sweep = new PeriodicJob('The deletion of old idempotency keys', deleteBatch, logger, INTERVAL_MS);
  }

  onApplicationBootstrap(): void {
    this.sweep.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sweep.stop();
  }
}
