import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron } from 'croner';
import { databaseErrorOf, UNIQUE_VIOLATION } from '../../core/database/connections/data-fault';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { BackupRunner } from './backup-runner.service';

/** Starts a backup at the times of BACKUP_SCHEDULE, in UTC. Every instance does; one of them makes it. Missed runs are not made up. */
@Injectable()
export class BackupSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(BackupSchedule.name);
  private job?: Cron;

  constructor(
    private readonly configuration: Configuration,
    private readonly runner: BackupRunner,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const { schedule } = this.configuration.backups;
    if (schedule === undefined) return;
    this.job = new Cron(schedule, { timezone: 'UTC', unref: true }, () => this.start());
  }

  beforeApplicationShutdown(): void {
    this.job?.stop();
  }

  private async start(): Promise<void> {
    // Whole seconds: all instances name the run alike.
    const scheduledFor = new Date(Math.round(this.clock.now() / 1_000) * 1_000);
    try {
      await this.runner.start('schedule', { scheduledFor });
    } catch (error) {
      if (databaseErrorOf(error)?.code === UNIQUE_VIOLATION) return; // another instance has made this one
      this.logger.error({ err: error }, 'A scheduled backup could not be started');
    }
  }
}
