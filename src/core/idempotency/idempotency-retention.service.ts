import { Injectable } from '@nestjs/common';
import { Database, statement } from '../database/database.service';
import { PERIODIC_BATCH, PeriodicJobs } from '../jobs/periodic-jobs.service';

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
export class IdempotencyRetention {
  constructor(database: Database, jobs: PeriodicJobs) {
    const deleteBatch = async () => (await database.query(FORGET, [])).length === PERIODIC_BATCH;
    jobs.every('The deletion of old idempotency keys', INTERVAL_MS, deleteBatch);
  }
}
