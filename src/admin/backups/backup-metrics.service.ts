import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Gauge } from 'prom-client';
import { Repository } from 'typeorm';
import { PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { Metrics } from '../../core/observability/metrics.service';
import { BackupEntity } from './backup.entity';

const INTERVAL_MS = 30_000;

/** The last completed backup for Prometheus: the same on every instance. */
@Injectable()
export class BackupMetrics {
  private readonly finished: Gauge;
  private readonly size: Gauge;

  constructor(
    @InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>,
    { registry }: Metrics,
    jobs: PeriodicJobs,
  ) {
    this.finished = new Gauge({
      name: 'gateway_backup_last_success_timestamp_seconds',
      help: 'When the last completed backup ended, in Unix seconds; 0: there is none.',
      registers: [registry],
    });
    this.size = new Gauge({
      name: 'gateway_backup_last_success_size_bytes',
      help: 'The size of the last completed backup.',
      registers: [registry],
    });
    jobs.every('The look at the last backup', INTERVAL_MS, () => this.look());
  }

  private async look(): Promise<void> {
    const last = await this.backups.findOne({
      where: { status: 'completed' },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    this.finished.set((last?.finishedAt?.getTime() ?? 0) / 1_000);
    this.size.set(Number(last?.sizeBytes ?? 0));
  }
}
