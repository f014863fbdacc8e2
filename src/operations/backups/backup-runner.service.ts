import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository, type EntityManager } from 'typeorm';
import { newUuid, toPublicId } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { tryLockForTransaction } from '../../core/database/advisory-locks';
import { DirectUrl } from '../../core/database/connections/direct-connection';
import { retryUntilPersisted } from '../../core/database/retry-until-persisted';
import { DomainEvents } from '../../core/events/domain-events.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { ApiError, RateLimitError } from '../../core/http/lifecycle/api-error';
import { Timers } from '../../core/work/timers/timers.service';
import { DeploymentSecrets } from '../../core/secrets/deployment-secrets';
import { authenticationKeyOf } from './archive/authentication';
import { readIdentity } from './archive/encryption';
import type { OnProgress } from './archive/progress';
import { backupFileName } from './archive/manifest';
import type { WrittenBackup } from './archive/backup-writer';
import { BackupFault } from './archive/backup-fault';
import { BackupEntity } from './backup.entity';
import { backupFaultWords } from './backup-fault-words';
import { BackupMetrics } from './backup-metrics.service';
import type { BackupTrigger } from './backup.dto';
import { BackupSession, readBackupProgram } from './process/backup-session';
import { BackupStore } from './backup-store.service';

/** A backup whose process died is noticed within this time, in milliseconds. */
const WATCH_MS = 20_000;

/** How long a session retries to record the outcome of its backup during an outage, in milliseconds. */
const RECORD_MS = 600_000;

/** Limit of backups through the API, for all keys and instances together. */
const API_LIMIT = 10;
const API_WINDOW_MS = 3_600_000;

/** How often a process checks whether another process's backup has ended, in milliseconds. */
const POLL_MS = 250;

const DIED = 'The backup process ended before the backup was complete';

export interface StartedBackup {
  backup: BackupEntity;
  /** False if the backup was running already. */
  started: boolean;
}

export interface StartOptions {
  /** False: a new backup leaves out the files of messages, and a running one may do so. */
  media?: boolean;
  /** The time of the scheduled run. */
  scheduledFor?: Date;
  onProgress?: OnProgress;
}

/** Makes backups, one at a time across all instances. */
@Injectable()
export class BackupRunner implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(BackupRunner.name);
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** The program of the process that makes a backup. */
  private program?: string;

  constructor(
    @InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>,
    private readonly configuration: Configuration,
    private readonly directUrl: DirectUrl,
    private readonly store: BackupStore,
    private readonly metrics: BackupMetrics,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly secrets: DeploymentSecrets,
    timers: Timers,
  ) {
    timers.every('Search for dead backups', WATCH_MS, () => this.failDead(), { scope: 'process', firstMs: 0 });
  }

  /** Reads the program early, before an upgrade can remove its file. The command line reads it when a backup starts. */
  async onModuleInit(): Promise<void> {
    // An unbuilt checkout has no program; a backup then fails with the path of the missing file.
    this.program = await readBackupProgram().catch(() => undefined);
  }

  /**
   * Starts a backup and resolves once its record is stored, or resolves with the running backup. If the running backup
   * leaves out files that are needed, waits until it has ended and starts another one; the API does not wait.
   * @throws ApiError RATE_LIMIT_EXCEEDED after too many backups through the API; INVALID_REQUEST instead of waiting
   */
  async start(trigger: BackupTrigger, options: StartOptions = {}): Promise<StartedBackup> {
    this.program ??= await readBackupProgram();
    for (;;) {
      // A session starts a process, so check the limit before.
      if (!(await this.backups.existsBy({ status: 'running' }))) await this.assertWithinLimit(trigger);
      const session = await BackupSession.begin(this.program, this.directUrl.value);
      if (session) return { backup: await this.startIn(session, trigger, options), started: true };
      const backup = await this.backups.findOneBy({ status: 'running' });
      if (backup && (backup.media || options.media === false)) return { backup, started: false };
      if (backup && trigger === 'api')
        throw ApiError.malformed('a backup without message files is running; try again when it has ended');
      if (backup) await this.elsewhereEnded(backup.id);
      this.stop.signal.throwIfAborted();
      // The other session holds the lock before its record is stored, or after its record has ended.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Resolves when this process's backup has ended. */
  async ended(): Promise<void> {
    await this.running;
  }

  /** Resolves when another process's backup has ended, even if that process died, or when this process stops. */
  async elsewhereEnded(id: string): Promise<void> {
    while (!this.stop.signal.aborted && (await this.backups.existsBy({ id, status: 'running' }))) {
      await this.failDead();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new BackupFault('The gateway was stopped'));
    await this.running;
  }

  private async startIn(session: BackupSession, trigger: BackupTrigger, options: StartOptions): Promise<BackupEntity> {
    try {
      await this.failDeadNow(this.backups.manager);
      await this.assertWithinLimit(trigger);
      const backup = this.backups.create({
        id: newUuid(this.clock.now()),
        status: 'running',
        trigger,
        media: options.media ?? true,
        scheduledFor: options.scheduledFor ?? null,
        file: null,
        folder: null,
        remote: null,
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

  /** Exact only for the holder of the backup lock: other processes may miss a backup that starts now. */
  private async assertWithinLimit(trigger: BackupTrigger): Promise<void> {
    if (trigger !== 'api') return;
    const since = new Date(this.clock.now() - API_WINDOW_MS);
    const recent = await this.backups.find({
      where: { trigger, createdAt: MoreThan(since) },
      order: { createdAt: 'DESC' },
      take: API_LIMIT,
    });
    const oldest = recent[API_LIMIT - 1];
    if (!oldest) return;
    const seconds = Math.max(1, Math.ceil((oldest.createdAt.getTime() - since.getTime()) / 1_000));
    throw new RateLimitError(
      'backups',
      { limit: API_LIMIT, window_seconds: API_WINDOW_MS / 1_000, retry_after_seconds: seconds },
      `The API makes at most ${API_LIMIT} backups an hour.`,
    );
  }

  /** Never rejects. */
  private async run(session: BackupSession, backup: BackupEntity, options: StartOptions): Promise<void> {
    try {
      const written = await this.write(session, backup, options);
      await this.record(() => this.complete(backup, written));
      await this.store.rotate().catch((err: unknown) => this.logger.warn({ err }, 'Old backups were not removed'));
    } catch (error) {
      const reason = backupFaultWords(error);
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
    const { backups, media: place } = this.configuration;
    const { keyFile } = backups;
    const identity = keyFile === undefined ? undefined : await readIdentity(keyFile);
    const folder = await this.store.folder.prepare();
    await this.store.folder.removePartial();
    const id = toPublicId('backup', backup.id);
    const createdAt = backup.createdAt.toISOString();
    const file = backupFileName(id, createdAt, identity !== undefined);
    // The record names the file first: if this process dies after the file is complete, rotation removes the file.
    await this.backups.update({ id: backup.id }, { file, folder });
    const key = authenticationKeyOf(this.secrets.pepper).toString('hex');
    const written = await session.write(
      { id, createdAt, path: this.store.folder.pathOf(file), key, identity, ...(backup.media && { media: place }) },
      { onProgress, signal: this.stop.signal },
    );
    // The file is complete and stays, even if the copy fails.
    Object.assign(backup, { file, folder });
    backup.remote = await this.store.copyAway(file, written.sizeBytes, this.stop.signal);
    return written;
  }

  private async complete(backup: BackupEntity, { sizeBytes, sha256, rows, files, missingFiles }: WrittenBackup) {
    const { file, folder, remote } = backup;
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
      folder,
      remote,
      sha256,
      sizeBytes: `${sizeBytes}`,
      rows: `${rows}`,
      files: files === null ? null : `${files}`,
    } as const;
    await this.settle(this.backups.manager, backup, changes, event);
    if (missingFiles > 0)
      this.logger.warn(
        { backup: backup.id, missingFiles },
        `${missingFiles} message files are not in the backup: they were erased in the meantime, or their storage lost or changed them`,
      );
    this.logger.log({ backup: backup.id, file, rows, files, sizeBytes }, `Backup complete: ${file}`);
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
      { status: 'failed', finishedAt: new Date(this.clock.now()), error, file: backup.file, folder: backup.folder },
      event,
    );
  }

  /** Ends a running backup's record and stores its event; changes nothing if the record has ended already. */
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
    if (!settled) return;
    if (changes.status === 'failed') this.metrics.countFailure();
    this.events.publish([event]);
  }

  private record(work: () => Promise<void>): Promise<void> {
    const patience = AbortSignal.any([this.stop.signal, AbortSignal.timeout(RECORD_MS)]);
    return retryUntilPersisted(work, patience);
  }

  /** If the backup lock is free although a record says `running`, the backup's process died: records the failure. */
  private async failDead(): Promise<void> {
    if (!(await this.backups.existsBy({ status: 'running' }))) return;
    await this.backups.manager.transaction(async (transaction) => {
      if (await tryLockForTransaction(transaction, 'backups')) await this.failDeadNow(transaction);
    });
  }

  private async failDeadNow(manager: EntityManager): Promise<void> {
    for (const backup of await manager.findBy(BackupEntity, { status: 'running' })) {
      await this.fail(manager, backup, DIED);
    }
  }
}
