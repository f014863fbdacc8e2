import type { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Configuration } from '../../core/config/configuration';
import { lockNameForTransaction } from '../../core/database/advisory-locks';
import { databaseErrorOf, UNIQUE_VIOLATION } from '../../core/database/connections/data-fault';
import { Database } from '../../core/database/database.service';
import { Timers } from '../../core/work/timers/timers.service';
import { Lease } from '../../core/work/lease';
import { SettingsService } from '../../core/settings/settings.service';
import { DELETE_UNUSED, EXPIRE_OLD } from '../attachment.rows';
import {
  CLAIM_FILE,
  GIVE_BACK,
  READ_USAGE,
  TAKE_DISCARDED,
  TAKE_UNREFERENCED,
  TAKE_UNREFERENCED_OF,
  TOUCH_FILE,
  UNREFERENCED_OF,
  UNREFERENCED_SECONDS,
} from '../media-file.rows';
import type { ByteRange, MediaStorage } from './media-storage.port';
import { ArrivingFiles, QuotaError, type ArrivingFile } from './arriving-files';
import { openMediaStorage, spoolAt, type MediaPlace } from './open-storage';
import type { Spool, SpooledFile } from './spool';

const CLEAN_UP_MS = 3_600_000;
const FIRST_CLEAN_UP_MS = 30_000;
/** The most files that one transaction of the clean-up removes. */
const BATCH = 100;

/** Bytes that the store has taken. */
export interface TakenFile extends SpooledFile {
  /** The store did not have them before. */
  isNew: boolean;
}

/** The bytes of files: takes them in, hands them out, and removes those that no attachment refers to. */
@Injectable()
export class MediaStore implements OnModuleInit {
  private readonly spool: Spool;
  private readonly arrivals = new ArrivingFiles();
  private readonly place: MediaPlace;
  private storage!: MediaStorage;

  constructor(
    { media }: Configuration,
    private readonly database: Database,
    private readonly settings: SettingsService,
    timers: Timers,
  ) {
    this.place = media;
    this.spool = spoolAt(media);
    timers.every('Removal of unused media', CLEAN_UP_MS, () => this.removeUnused(), {
      scope: 'process',
      firstMs: FIRST_CLEAN_UP_MS,
    });
  }

  async onModuleInit(): Promise<void> {
    this.storage = await openMediaStorage(this.place);
  }

  /**
   * Stores a file. The caller then stores an attachment that refers to it, within `UNREFERENCED_SECONDS`.
   * @param person who sent it, as `personOf` names them
   * @throws FileTooLargeError, QuotaError, the source's error, or the signal's reason
   */
  async take(
    environment: Environment,
    source: Readable,
    { maxBytes, signal, person = null }: { maxBytes?: number; signal?: AbortSignal; person?: string | null } = {},
  ): Promise<TakenFile> {
    source.on('error', () => undefined); // it may fail before the spool listens, which then reports it
    const { max_bytes, quota_bytes } = this.settings.of(environment).media;
    let arriving: ArrivingFile | undefined;
    try {
      const [usage] = await this.database.query<{ bytes: number; ofPerson: number }>(READ_USAGE, [environment, person]);
      const { bytes: stored, ofPerson } = usage!;
      const room = person === null ? Infinity : shareOfPerson(quota_bytes) - ofPerson;
      if (room <= 0) throw new QuotaError();
      arriving = this.arrivals.begin(environment, stored, room);
      const onBytes = (bytes: number) => arriving!.add(bytes, quota_bytes);
      const file = await this.spool.write(source, Math.min(maxBytes ?? Infinity, max_bytes), { signal, onBytes });
      try {
        return { ...file, isNew: await this.keep(environment, file, person) };
      } finally {
        await this.spool.remove(file.path);
      }
    } catch (error) {
      source.destroy();
      throw error;
    } finally {
      arriving?.end();
    }
  }

  /** @throws MissingMediaError */
  read(environment: Environment, sha256: string, range?: ByteRange): Promise<Readable> {
    return this.storage.open(environment, sha256, range);
  }

  /** @returns whether the bytes are new */
  private async keep(environment: Environment, file: SpooledFile, person: string | null): Promise<boolean> {
    const { sha256, path } = file;
    const isNew = await this.claim(environment, file, person).catch((error: unknown) => {
      if (databaseErrorOf(error)?.code !== UNIQUE_VIOLATION) throw error;
      return this.claim(environment, file, person);
    });
    const lease = new Lease(UNREFERENCED_SECONDS, async () => {
      await this.database.query(TOUCH_FILE, [environment, sha256]);
      return true;
    });
    try {
      await this.storage.keep(environment, sha256, path);
      return isNew;
    } finally {
      lease.end();
    }
  }

  private async claim(
    environment: Environment,
    { sha256, sizeBytes }: SpooledFile,
    person: string | null,
  ): Promise<boolean> {
    const { quota_bytes } = this.settings.of(environment).media;
    const values = [environment, sha256, sizeBytes, quota_bytes, person, shareOfPerson(quota_bytes)];
    const ask = (client?: PoolClient) =>
      this.database.query<{ fits: boolean; is_new: boolean }>(CLAIM_FILE, values, client);
    // The files of one person claim one after the other, because each sum must count the ones before.
    const [row] =
      person === null
        ? await ask()
        : await this.database.transaction(async (client) => {
            await lockNameForTransaction(client, 'mediaOfPerson', person);
            return ask(client);
          });
    if (!row!.fits) throw new QuotaError();
    return row!.is_new;
  }

  /**
   * Removes bytes that no attachment refers to.
   * @param digests their SHA-256
   * @returns the digests whose bytes stay: they are in use, or arrived within the last `UNREFERENCED_SECONDS`
   */
  async remove(environment: Environment, digests: readonly string[]): Promise<string[]> {
    await this.removeTaken(TAKE_UNREFERENCED_OF, [environment, digests]);
    return (await this.database.query<{ sha256: string }>(UNREFERENCED_OF, [environment, digests])).map(
      ({ sha256 }) => sha256,
    );
  }

  /**
   * Removes attachments that no message uses, and their bytes at once.
   * @param ids their UUIDs
   * @param digests SHA-256 of those of their bytes that `take` called new
   */
  async discard(ids: readonly string[], digests: readonly string[]): Promise<void> {
    await this.removeTaken(TAKE_DISCARDED, [ids, digests]);
  }

  /** A batch of the clean-up. @returns whether there may be more */
  async removeUnused(): Promise<boolean> {
    await this.spool.removeAbandoned();
    const isMore = await this.dropReferences();
    return (await this.removeTaken(TAKE_UNREFERENCED, [BATCH])) === BATCH || isMore;
  }

  /** Uploads that no message has after a day, and files that are older than `media.days`. */
  private async dropReferences(): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const changes = [await client.query(DELETE_UNUSED, [BATCH])];
      for (const environment of ENVIRONMENTS) {
        const { days } = this.settings.of(environment).media;
        if (days !== null) changes.push(await client.query(EXPIRE_OLD, [environment, days, BATCH]));
      }
      return changes.some(({ rowCount }) => rowCount === BATCH);
    });
  }

  /** @param taking a statement of `media-file.rows.ts` @returns how many files it took */
  private async removeTaken(taking: string, values: unknown[]): Promise<number> {
    return this.database.transaction(async (client) => {
      const { rows } = await client.query<{ environment: Environment; sha256: string; size_bytes: string }>(
        taking,
        values,
      );
      const freed = new Map<Environment, number>();
      for (const { environment, sha256, size_bytes } of rows) {
        await this.storage.remove(environment, sha256);
        freed.set(environment, (freed.get(environment) ?? 0) + Number(size_bytes));
      }
      // Last: until the commit, every upload waits for this row.
      for (const [environment, bytes] of freed) await client.query(GIVE_BACK, [environment, bytes]);
      return rows.length;
    });
  }
}

/** Bytes that one person may hold: a tenth of the quota. */
function shareOfPerson(quota: number): number {
  return Math.floor(quota / 10);
}
