import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { newUuid, toPublicId } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { triesLock } from '../../core/database/advisory-locks';
import { DirectUrl } from '../../core/database/connections/direct-url';
import { retryUntilPersisted } from '../../core/database/retry-until-persisted';
import { DomainEvents } from '../../core/events/domain-events.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { DeploymentSecrets } from '../../core/secrets/deployment-secrets';
import { authenticationKeyOf } from './archive/authentication';
import { readIdentity } from './archive/encryption';
import type { OnProgress } from './archive/progress';
import { backupFileName } from './archive/manifest';
import type { WrittenBackup } from './archive/backup-writer';
import { BackupEntity } from './backup.entity';
import type { BackupTrigger } from './backup.dto';
import { BackupSession } from './process/backup-session';
import { BackupStore } from './backup-store.service';

/** A backup whose process died is noticed within this time, in milliseconds. */
const WATCH_MS = 20_000;

/** How long the end of a backup may wait for an outage to end before its session gives up, in milliseconds. */
const RECORD_MS = 600_000;

/** How often a process looks whether the backup of another one has ended, in milliseconds. */
const POLL_MS = 250;

const PG_LOST = /^(Connection terminated|Client has encountered a connection error)/;

const DIED = 'The process that made it ended before it was whole';

export interface StartedBackup {
  backup: BackupEntity;
  /** False: it ran already. */
  started: boolean;
}

export interface StartOptions {
  /** Which run of the schedule it is. */
  scheduledFor?: Date;
  onProgress?: OnProgress;
}

/** Makes backups: one at a time over all instances. */
@Injectable()
export class BackupRunner implements BeforeApplicationShutdown {
  private readonly logger = new Logger(BackupRunner.name);
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    @InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>,
    private readonly configuration: Configuration,
    private readonly directUrl: DirectUrl,
    private readonly store: BackupStore,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly secrets: DeploymentSecrets,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The search for backups that died', WATCH_MS, () => this.failDead(), 0);
  }

  /** Starts a backup and resolves once it has its record, or with the one that runs. */
  async start(trigger: BackupTrigger, options: StartOptions = {}): Promise<StartedBackup> {
    for (;;) {
      const session = await BackupSession.begin(this.directUrl.value);
      if (session) return { backup: await this.startIn(session, trigger, options), started: true };
      const backup = await this.backups.findOneBy({ status: 'running' });
      if (backup) return { backup, started: false };
      // The other session has the lock and no record yet, or no record any more.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Resolves when the backup that this process makes has ended. */
  async ended(): Promise<void> {
    await this.running;
  }

  /** Resolves when a backup that another process makes has ended, also if by the death of that process. */
  async elsewhereEnded(id: string): Promise<void> {
    while (await this.backups.existsBy({ id, status: 'running' })) {
      await this.failDead();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new Error('The gateway was stopped'));
    await this.running;
  }

  private async startIn(session: BackupSession, trigger: BackupTrigger, options: StartOptions): Promise<BackupEntity> {
    try {
      await this.failDeadNow(this.backups.manager);
      const backup = this.backups.create({
        id: newUuid(this.clock.now()),
        status: 'running',
        trigger,
        scheduledFor: options.scheduledFor ?? null,
        createdAt: new Date(this.clock.now()),
      });
      await this.backups.insert(backup);
      this.running = this.run(session, backup, options);
      return backup;
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  /** Never rejects. */
  private async run(session: BackupSession, backup: BackupEntity, options: StartOptions): Promise<void> {
    try {
      const written = await this.write(session, backup, options);
      await this.record(() => this.complete(backup, written));
      await this.store.rotate().catch((err: unknown) => this.logger.warn({ err }, 'Old backups were not removed'));
    } catch (error) {
      const reason = reasonOf(error);
      this.logger.error({ err: error, backup: backup.id }, `The backup failed: ${reason}`);
      await this.record(() => this.fail(this.backups.manager, backup, reason)).catch((err: unknown) =>
        this.logger.error({ err }, 'The failure of a backup could not be recorded'),
      );
    } finally {
      await session.end();
    }
  }

  private async write(
    session: BackupSession,
    backup: BackupEntity,
    { onProgress }: StartOptions,
  ): Promise<WrittenBackup> {
    const { directory, keyFile } = this.configuration.backups;
    const identity = keyFile === undefined ? undefined : await readIdentity(keyFile);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await this.store.removePartial();
    const id = toPublicId('backup', backup.id);
    const createdAt = backup.createdAt.toISOString();
    const file = backupFileName(id, createdAt, identity !== undefined);
    // If this process dies once the file is whole, the file is removed with the record's next rotation.
    await this.backups.update({ id: backup.id }, { file });
    const written = await session.write(
      {
        id,
        createdAt,
        path: join(directory, file),
        key: authenticationKeyOf(this.secrets.pepper).toString('hex'),
        identity,
      },
      { onProgress, signal: this.stop.signal },
    );
    // It is whole, whatever becomes of its copy.
    backup.file = file;
    await this.store.copyAway(file, written.sizeBytes, this.stop.signal);
    return written;
  }

  private async complete(backup: BackupEntity, { sizeBytes, sha256, rows }: WrittenBackup) {
    const { file } = backup;
    const finishedAt = new Date(this.clock.now());
    const event = this.events.create('backup.completed', {
      environment: 'live',
      backup_id: toPublicId('backup', backup.id),
      size_bytes: sizeBytes,
      duration_ms: finishedAt.getTime() - backup.createdAt.getTime(),
      sha256,
    });
    const changes = {
      status: 'completed',
      finishedAt,
      file,
      sha256,
      sizeBytes: `${sizeBytes}`,
      rows: `${rows}`,
    } as const;
    await this.settle(this.backups.manager, backup, changes, event);
    this.logger.log({ backup: backup.id, file, rows, sizeBytes }, `A backup is whole: ${file}`);
  }

  private async fail(manager: EntityManager, backup: BackupEntity, error: string): Promise<void> {
    const event = this.events.create('backup.failed', {
      environment: 'live',
      backup_id: toPublicId('backup', backup.id),
      error,
    });
    await this.settle(
      manager,
      backup,
      { status: 'failed', finishedAt: new Date(this.clock.now()), error, file: backup.file },
      event,
    );
  }

  /** Once: the record of a backup that was settled meanwhile stays, and has had its event. */
  private async settle(
    manager: EntityManager,
    { id }: BackupEntity,
    changes: Partial<BackupEntity>,
    event: DomainEvent,
  ): Promise<void> {
    const settled = await manager.transaction(async (transaction) => {
      const { affected } = await transaction.update(BackupEntity, { id, status: 'running' }, changes);
      if (affected) await this.events.store([event], transaction);
      return Boolean(affected);
    });
    if (settled) this.events.publish([event]);
  }

  private record(work: () => Promise<void>): Promise<void> {
    const patience = AbortSignal.any([this.stop.signal, AbortSignal.timeout(RECORD_MS)]);
    return retryUntilPersisted(work, patience);
  }

  /** The lock is free although a record says that a backup runs: its process died. */
  private async failDead(): Promise<void> {
    if (!(await this.backups.existsBy({ status: 'running' }))) return;
    await this.backups.manager.transaction(async (transaction) => {
      const [row] = await transaction.query<{ locked: boolean }[]>(`SELECT ${triesLock('backups')} AS locked`);
      if (row!.locked) await this.failDeadNow(transaction);
    });
  }

  private async failDeadNow(manager: EntityManager): Promise<void> {
    for (const backup of await manager.findBy(BackupEntity, { status: 'running' })) {
      await this.fail(manager, backup, DIED);
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'The disk of BACKUP_DIR is full';
  if (code === 'EACCES' || code === 'EROFS') return `BACKUP_DIR cannot be written: ${message}`;
  if (isConnectionLost(error)) return `The connection to the database ended: ${message}`;
  return message;
}

/** The server was stopped, has died, or cut the session; pg gives a socket that closes no code, nor what comes after it. */
function isConnectionLost(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return /^(57P0[1-5]|08...|ECONNRESET|EPIPE)$/.test(code) || PG_LOST.test(message);
}
