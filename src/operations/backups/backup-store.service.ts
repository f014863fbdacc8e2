import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Repository } from 'typeorm';
import { Configuration } from '../../core/config/configuration';
import { Timers } from '../../core/work/timers/timers.service';
import type { BackupSource } from './archive/backup-source';
import { parseBackupFileName } from './archive/manifest';
import { BackupEntity } from './backup.entity';
import { BACKUP_TRIGGERS } from './backup.dto';
import { BackupFolder } from './places/backup-folder';
import { objectAddress } from '../../core/object-storage/object-address';
import type { ObjectStore } from './places/object-store';

/**
 * How often an instance rotates files, in milliseconds: another instance may not see those that a new backup replaces.
 */
const ROTATE_MS = 60_000;

/** A place of a backup's file that this instance can read. */
export interface BackupPlace {
  /** Named in messages. */
  name: 'BACKUP_DIR' | 'BACKUP_S3_URL';
  source: BackupSource;
}

/** Where the files of backups are: BACKUP_DIR, and a copy of each in the object storage of BACKUP_S3_URL. */
@Injectable()
export class BackupStore implements OnModuleInit {
  readonly folder: BackupFolder;
  /** The address of the object storage, without credentials; null without one. */
  readonly remoteAddress: string | null;
  private readonly keep: number;
  private readonly remoteUrl?: URL;
  private storage?: ObjectStore;

  constructor(
    @InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>,
    { backups: { directory, keep, s3Url } }: Configuration,
    timers: Timers,
  ) {
    this.folder = new BackupFolder(directory);
    this.keep = keep;
    this.remoteUrl = s3Url === undefined ? undefined : new URL(s3Url);
    this.remoteAddress = this.remoteUrl ? objectAddress(this.remoteUrl) : null;
    timers.every('Backup rotation', ROTATE_MS, () => this.rotate(), { scope: 'process' });
  }

  /** Loads the SDK now, because an upgrade may remove its files. */
  async onModuleInit(): Promise<void> {
    await this.remote();
  }

  /** @returns the address of the copy; null without BACKUP_S3_URL */
  async copyAway(file: string, sizeBytes: number, signal: AbortSignal): Promise<string | null> {
    const remote = await this.remote();
    await remote?.put(file, this.folder.pathOf(file), sizeBytes, signal);
    return remote?.address ?? null;
  }

  /** The places of a backup's file that this instance can read. */
  async placesOf(backup: BackupEntity): Promise<BackupPlace[]> {
    const { file } = backup;
    if (file === null || !parseBackupFileName(file)) return [];
    const places: BackupPlace[] = [];
    if (await this.isInFolder(backup, await this.folder.id()))
      places.push({ name: 'BACKUP_DIR', source: this.folder.source(file) });
    const remote = this.isCopied(backup) ? await this.remote() : undefined;
    if (remote) places.push({ name: 'BACKUP_S3_URL', source: remote.source(file) });
    return places;
  }

  /**
   * Removes surplus files that this instance sees. For each trigger, across all instances, the newest BACKUP_KEEP
   * completed backups stay, and the failed ones that are newer than all completed ones.
   */
  async rotate(): Promise<void> {
    const old = await this.tooMany();
    if (old.length === 0) return;
    const folder = await this.folder.id();
    for (const backup of old) {
      if (!(await this.isInFolder(backup, folder))) continue;
      // An older version did not record whether there is a copy.
      if (backup.folder === null) backup.remote = this.remoteAddress;
      await this.folder.remove(backup.file!);
      await this.forget(backup, { folder: null });
    }
    // After the local files, because the object storage may not answer.
    for (const backup of old.filter((each) => this.isCopied(each))) {
      await (await this.remote())?.remove(backup.file!);
      await this.forget(backup, { remote: null });
    }
  }

  private async tooMany(): Promise<BackupEntity[]> {
    const ended = await this.backups.find({
      where: { status: Not('running'), file: Not(IsNull()) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    // A restored record may hold any path.
    const named = ended.filter(({ file }) => parseBackupFileName(file!));
    return BACKUP_TRIGGERS.flatMap((trigger) => {
      const ofTrigger = named.filter((backup) => backup.trigger === trigger);
      const completed = ofTrigger.filter(({ status }) => status === 'completed');
      const [newest] = completed;
      const failed = ofTrigger.filter(
        ({ status, createdAt }) => status === 'failed' && newest && createdAt < newest.createdAt,
      );
      return [...completed.slice(this.keep), ...failed];
    });
  }

  private async forget(backup: BackupEntity, change: { folder: null } | { remote: null }): Promise<void> {
    Object.assign(backup, change);
    const isGone = backup.folder === null && backup.remote === null;
    await this.backups.update({ id: backup.id }, { ...change, ...(isGone && { file: null }) });
  }

  private async isInFolder(backup: BackupEntity, folder: string | undefined): Promise<boolean> {
    const { file, remote } = backup;
    if (backup.folder !== null) return backup.folder === folder;
    // An older version did not record its folder.
    return remote === null && file !== null && (await this.folder.has(file));
  }

  private isCopied({ remote }: BackupEntity): boolean {
    return remote !== null && remote === this.remoteAddress;
  }

  /** Loads the SDK only if it is needed: that takes a third of a second and 20 MB. */
  private async remote(): Promise<ObjectStore | undefined> {
    if (!this.remoteUrl) return undefined;
    const { ObjectStore } = await import('./places/object-store.js');
    return (this.storage ??= new ObjectStore(this.remoteUrl));
  }
}
