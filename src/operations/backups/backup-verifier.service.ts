import { createHash } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { BackupFault } from './archive/backup-fault';
import { loadAge } from './archive/encryption';
import type { BackupSource } from './archive/backup-source';
import { BackupEntity } from './backup.entity';
import { backupFaultWords } from './backup-fault-words';
import { BackupMetrics } from './backup-metrics.service';
import { BackupStore, type BackupPlace } from './backup-store.service';
import { verifyBackup } from './restore';

/** Verifies backups by reading their files to the end, one at a time, and records the result. */
@Injectable()
export class BackupVerifier implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(BackupVerifier.name);
  private readonly stop = new AbortController();
  private last: Promise<unknown> = Promise.resolve();
  /** By backup id: a request joins the verification that runs or waits already. */
  private readonly waiting = new Map<string, Promise<void>>();

  constructor(
    @InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>,
    private readonly configuration: Configuration,
    private readonly store: BackupStore,
    private readonly metrics: BackupMetrics,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.configuration.backups.keyFile !== undefined) await loadAge();
  }

  /**
   * Verifies every file of a backup that this instance sees.
   * @throws ApiError RESOURCE_NOT_FOUND; INVALID_REQUEST if this instance sees no file, or the backup is not completed
   */
  async verify(id: string): Promise<void> {
    const backup = await this.backups.findOneBy({ id });
    if (!backup) throw ApiError.notFound('backup', toPublicId('backup', id));
    if (backup.status !== 'completed') throw ApiError.malformed('only a completed backup can be verified');
    if (backup.file === null) throw ApiError.malformed('rotation has deleted the file of the backup');
    const places = await this.store.placesOf(backup);
    if (places.length === 0) throw ApiError.malformed('this instance cannot access the folder of the backup');
    await this.inTurn(backup, places);
  }

  /** @param scheduledFor the time of the run: one of the instances that see the newest backup takes it */
  async verifyNewest(scheduledFor: Date): Promise<void> {
    const newest = await this.backups.findOne({
      where: { status: 'completed' },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    if (!newest) return;
    const places = await this.store.placesOf(newest);
    if (places.length === 0) {
      this.logger.warn(
        { backup: newest.id },
        'The newest backup was not verified: this instance cannot access its file',
      );
      return;
    }
    const { affected } = await this.backups.update(
      [
        { id: newest.id, verifyScheduledFor: IsNull() },
        { id: newest.id, verifyScheduledFor: LessThan(scheduledFor) },
      ],
      { verifyScheduledFor: scheduledFor },
    );
    if (affected) await this.inTurn(newest, places);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new Error('The gateway was stopped'));
    await this.last;
  }

  private inTurn(backup: BackupEntity, places: readonly BackupPlace[]): Promise<void> {
    const known = this.waiting.get(backup.id);
    if (known) return known;
    const turn = this.last.then(() => this.run(backup, places)).finally(() => this.waiting.delete(backup.id));
    this.waiting.set(backup.id, turn);
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** @throws when the gateway is stopped meanwhile, or the result cannot be recorded */
  private async run(backup: BackupEntity, places: readonly BackupPlace[]): Promise<void> {
    const faults: string[] = [];
    for (const place of places) {
      const fault = await this.faultOf(backup, place.source);
      if (fault !== undefined) faults.push(`${place.name}: ${fault}`);
    }
    const verifyError = faults.length > 0 ? faults.join('; ') : null;
    await this.backups.update({ id: backup.id }, { verifiedAt: new Date(this.clock.now()), verifyError });
    if (verifyError === null) return;
    this.metrics.countVerifyFailure();
    this.logger.error({ backup: backup.id }, `The verification of a backup failed: ${verifyError}`);
  }

  private async faultOf(backup: BackupEntity, source: BackupSource): Promise<string | undefined> {
    const hashed = new HashedSource(source);
    try {
      await verifyBackup(this.configuration, hashed, { signal: this.stop.signal });
      if (hashed.sha256() !== backup.sha256) throw new BackupFault('The file does not match the SHA-256 of its record');
      return undefined;
    } catch (error) {
      this.stop.signal.throwIfAborted();
      this.logger.debug({ err: error, backup: backup.id }, `${source.name} was not verified`);
      return backupFaultWords(error);
    }
  }
}

/** A source that hashes what is read; `sha256` is that of the stream opened last. */
class HashedSource implements BackupSource {
  readonly name: string;
  private hash = createHash('sha256');

  constructor(private readonly source: BackupSource) {
    this.name = source.name;
  }

  size(): Promise<number> {
    return this.source.size();
  }

  async open(bytes?: number) {
    const hash = (this.hash = createHash('sha256'));
    const hashing = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    // The reader of `hashing` gets an error of the source too.
    return pipeline(await this.source.open(bytes), hashing, () => undefined);
  }

  sha256(): string {
    return this.hash.digest('hex');
  }
}
