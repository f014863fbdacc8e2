import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Counter, Gauge } from 'prom-client';
import { Repository } from 'typeorm';
import { Timers } from '../../core/work/timers/timers.service';
import { Metrics } from '../../core/observability/metrics.service';
import { BackupEntity } from './backup.entity';

const INTERVAL_MS = 30_000;

/** Metrics of backups. Every instance reports the same last completed backup, and counts its own failures. */
@Injectable()
export class BackupMetrics {
  private readonly finished: Gauge;
  private readonly size: Gauge;
  private readonly failures: Counter;
  private readonly verifyFailures: Counter;

  constructor(
    @InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>,
    metrics: Metrics,
    timers: Timers,
  ) {
    this.finished = metrics.gauge(
      'gateway_backup_last_success_timestamp_seconds',
      'Unix time at which the last completed backup ended; 0 if there is none.',
    );
    this.size = metrics.gauge('gateway_backup_last_success_size_bytes', 'Size of the last completed backup.');
    this.failures = metrics.counter(
      'gateway_backup_failures_total',
      'Backups that failed on this instance, or whose process had died.',
    );
    this.verifyFailures = metrics.counter(
      'gateway_backup_verify_failures_total',
      'Failed verifications of backups: the backup is damaged or unreadable.',
    );
    timers.every('Backup metrics refresh', INTERVAL_MS, () => this.look(), { scope: 'process' });
  }

  countFailure(): void {
    this.failures.inc();
  }

  countVerifyFailure(): void {
    this.verifyFailures.inc();
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
