import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { deleteFirstUnlocked } from '../database/first-unlocked';
import { PERIODIC_BATCH, PeriodicJobs } from '../jobs/periodic-jobs.service';
import { IdempotentRequestEntity } from './idempotent-request.entity';

const INTERVAL_MS = 3_600_000;

/** Deletes requests that are no longer replayed. */
@Injectable()
export class IdempotencyRetention {
  constructor(
    @InjectRepository(IdempotentRequestEntity) private readonly requests: Repository<IdempotentRequestEntity>,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The deletion of old idempotency keys', INTERVAL_MS, () => this.deleteBatch());
  }

  private async deleteBatch(): Promise<boolean> {
    const old = this.requests
      .createQueryBuilder('old')
      .where(`old.createdAt < now() - interval '24 hours'`)
      .orderBy('old.createdAt');
    return (await deleteFirstUnlocked(old, PERIODIC_BATCH)) === PERIODIC_BATCH;
  }
}
