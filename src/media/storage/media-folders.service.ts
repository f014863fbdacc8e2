import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Configuration } from '../../core/config/configuration';
import { Database } from '../../core/database/database.service';
import { Timers } from '../../core/work/timers/timers.service';
import { USE_FOLDER } from '../media-folder.rows';

const INTERVAL_MS = 60_000;
const ID = /^[0-9a-f-]{36}$/;

/** Warns when instances keep files of messages in folders of their own: each then lacks the files of the others. */
@Injectable()
export class MediaFolders implements OnApplicationBootstrap {
  private readonly logger = new Logger(MediaFolders.name);
  private readonly directory: string;
  private readonly isRemote: boolean;
  private warned = false;

  constructor(
    { media }: Configuration,
    private readonly database: Database,
    timers: Timers,
  ) {
    this.directory = media.directory;
    this.isRemote = media.s3Url !== undefined;
    timers.every('Media folder check', INTERVAL_MS, () => this.look(), { scope: 'process' });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.look().catch(() => undefined); // the job tries again, and logs the fault
  }

  private async look(): Promise<void> {
    if (this.isRemote) return;
    const [row] = await this.database.query<{ others: boolean }>(USE_FOLDER, [await this.id()]);
    if (row!.others && !this.warned)
      this.logger.warn(
        `Another instance keeps the files of messages in a folder that is not MEDIA_DIR (${this.directory}): set MEDIA_DIR to a folder that all instances share, or MEDIA_S3_URL`,
      );
    this.warned = row!.others;
  }

  /** The id of the folder, independent of machine and path. */
  private async id(): Promise<string> {
    const path = join(this.directory, 'this-folder.id');
    const read = async () => (await readFile(path, 'utf8').catch(() => '')).trim();
    const known = await read();
    if (ID.test(known)) return known;
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    // If two instances make it at once, both read the first one's file.
    await writeFile(path, randomUUID(), { flag: 'wx', mode: 0o600 }).catch(() => undefined);
    const made = await read();
    if (ID.test(made)) return made;
    throw new Error(`${path} cannot be made`);
  }
}
