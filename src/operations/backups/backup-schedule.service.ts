import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron } from 'croner';
import { databaseErrorOf, UNIQUE_VIOLATION } from '../../core/database/connections/data-fault';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { BackupRunner } from './backup-runner.service';
import { BackupVerifier } from './backup-verifier.service';

/**
 * Makes backups at the times of BACKUP_SCHEDULE, and verifies the newest backup at those of BACKUP_VERIFY_SCHEDULE, in
 * UTC. Every instance tries each run, and one of them does it. Missed runs are not repeated.
 */
@Injectable()
export class BackupSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(BackupSchedule.name);
  private readonly jobs: Cron[] = [];

  constructor(
    private readonly configuration: Configuration,
    private readonly runner: BackupRunner,
    private readonly verifier: BackupVerifier,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const { schedule, verifySchedule } = this.configuration.backups;
    this.run(schedule, 'A scheduled backup could not be started', (scheduledFor) =>
      this.runner.start('schedule', { scheduledFor }),
    );
    this.run(verifySchedule, 'A scheduled verification of the newest backup failed', (scheduledFor) =>
      this.verifier.verifyNewest(scheduledFor),
    );
  }

  beforeApplicationShutdown(): void {
    for (const job of this.jobs) job.stop();
  }

  /** The next run of BACKUP_SCHEDULE; null without one. */
  nextRunAt(): Date | null {
    const { schedule } = this.configuration.backups;
    return schedule === undefined ? null : new Cron(schedule, { timezone: 'UTC' }).nextRun(this.clock.date());
  }

  private run(schedule: string | undefined, failure: string, work: (scheduledFor: Date) => Promise<unknown>): void {
    if (schedule === undefined) return;
    const start = async (): Promise<void> => {
      // Rounded to seconds, so that all instances name the run by the same time.
      const scheduledFor = new Date(Math.round(this.clock.now() / 1_000) * 1_000);
      try {
        await work(scheduledFor);
      } catch (error) {
        if (databaseErrorOf(error)?.code === UNIQUE_VIOLATION) return; // another instance has done this run
        this.logger.error({ err: error }, failure);
      }
    };
    this.jobs.push(new Cron(schedule, { timezone: 'UTC', unref: true }, start));
  }
}
