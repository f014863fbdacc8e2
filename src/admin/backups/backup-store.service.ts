import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, Not, Repository } from 'typeorm';
import { Configuration } from '../../core/config/configuration';
import { BackupEntity } from './backup.entity';
import type { ObjectStore } from './object-store';

const PARTIAL = /^gateway-.*-bak_\w+\.tar\.zst(\.age)?\.partial$/;

/** Where the files of backups are: BACKUP_DIR, and a copy of each in the object storage of BACKUP_S3_URL. */
@Injectable()
export class BackupStore {
  private readonly directory: string;
  private readonly keep: number;
  private readonly remoteUrl?: URL;

  constructor(
    @InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>,
    { backups: { directory, keep, s3Url } }: Configuration,
  ) {
    this.directory = directory;
    this.keep = keep;
    this.remoteUrl = s3Url === undefined ? undefined : new URL(s3Url);
  }

  /** Removes what a crash left. Only the holder of the lock of backups may call it. */
  async removePartial(): Promise<void> {
    const names = await readdir(this.directory);
    for (const name of names.filter((entry) => PARTIAL.test(entry)))
      await rm(join(this.directory, name), { force: true });
  }

  /** Does nothing without BACKUP_S3_URL. */
  async copyAway(file: string, sizeBytes: number, signal: AbortSignal): Promise<void> {
    const remote = await this.remote();
    await remote?.put(file, join(this.directory, file), sizeBytes, signal);
  }

  /** Keeps the files of the newest BACKUP_KEEP completed backups, and of the failed ones that are newer than all of them. */
  async rotate(): Promise<void> {
    const file = Not(IsNull());
    const completed = await this.backups.find({
      where: { status: 'completed', file },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    const [newest] = completed;
    if (!newest) return;
    const failed = await this.backups.findBy({ status: 'failed', file, createdAt: LessThan(newest.createdAt) });
    const old = [...completed.slice(this.keep), ...failed];
    const remote = old.length > 0 ? await this.remote() : undefined;
    for (const { id, file: name } of old) {
      await rm(join(this.directory, name!), { force: true });
      await remote?.remove(name!);
      await this.backups.update({ id }, { file: null });
    }
  }

  /** The SDK is loaded only where it is used: it takes a third of a second and 20 MB. */
  private async remote(): Promise<ObjectStore | undefined> {
    if (!this.remoteUrl) return undefined;
    const { ObjectStore } = await import('./object-store.js');
    return new ObjectStore(this.remoteUrl);
  }
}
