import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Environment } from '#contracts';
import { Configuration } from '../config/configuration';
import { announce, DatabaseListener } from '../database/database-listener.service';
import { runDetached } from '../observability/tracing/work-context';
import { parameterError } from '../validation/request-faults';
import { defaultSettings, mergeChanges, priceFaults, withChanges, type Settings } from './settings';
import { SettingsEntity } from './settings.entity';

/** Channel on which a change of settings is announced; the payload is the environment. */
const SETTINGS_CHANGED = 'settings';

/** After a failed reading the settings are read again this much later, in milliseconds. */
const RETRY_MS = 500;

type AllSettings = Readonly<Record<Environment, Settings>>;
type SettingsListener = (before: AllSettings, now: AllSettings) => void;

/** The run-time settings, kept in memory. Every instance reads them again when one instance changes them. */
@Injectable()
export class SettingsService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(SettingsService.name);
  private readonly defaults: Settings;
  private current: Record<Environment, Settings>;
  private reading: Promise<void> = Promise.resolve();
  private retry?: NodeJS.Timeout;
  private readonly listeners: SettingsListener[] = [];

  constructor(
    configuration: Configuration,
    private readonly listener: DatabaseListener,
    @InjectRepository(SettingsEntity) private readonly rows: Repository<SettingsEntity>,
  ) {
    this.defaults = defaultSettings({
      model: configuration.ai.model,
      ownerEmail: configuration.mail.ownerEmail ?? null,
    });
    this.current = { live: this.defaults, test: this.defaults };
  }

  /** At most a second old, as long as this instance hears the database's announcements. */
  of(environment: Environment): Settings {
    return this.current[environment];
  }

  /** Reads the stored settings: another instance may have changed them. */
  async read(environment: Environment): Promise<Settings> {
    return (await this.stored())[environment];
  }

  /**
   * Merges a partial change into the settings, under a lock: of two changes at once, both are applied.
   * @param patch without settingsFaults
   * @throws ApiError INVALID_PARAMETER for a price that the change leaves without `input` or `output`
   * @returns all settings, in force on this instance; on others within a second
   */
  async change(environment: Environment, patch: Record<string, unknown>): Promise<Settings> {
    await this.rows.manager.transaction(async (manager) => {
      const rows = manager.withRepository(this.rows);
      await rows.createQueryBuilder().insert().values({ environment, document: {} }).orIgnore().execute();
      const lock = { mode: 'pessimistic_write' } as const;
      const { document } = await rows.findOneOrFail({ where: { environment }, lock });
      const changed = mergeChanges(document, patch);
      const faults = priceFaults(changed, patch);
      if (faults.length > 0) throw parameterError(faults);
      await rows.update(environment, { document: changed, version: () => 'version + 1' });
      await announce(manager, SETTINGS_CHANGED, environment);
    });
    await this.reload();
    return this.of(environment);
  }

  async onModuleInit(): Promise<void> {
    this.listener.follow(SETTINGS_CHANGED, () => void this.reloadUntilDone());
    await this.reload();
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.retry);
  }

  /**
   * Reads the settings for `of`, one reading after the other: the older of two must not win. Live work may wait for a
   * reading that a test key caused, so the reading does not count as test work.
   */
  reload(): Promise<void> {
    const reading = runDetached(() => this.reading.then(() => this.load()));
    this.reading = reading.catch(() => undefined);
    return reading;
  }

  /** @param listener is called after each reading, here and after changes of other instances */
  onChange(listener: SettingsListener): void {
    this.listeners.push(listener);
  }

  private async load(): Promise<void> {
    const before = this.current;
    this.current = await this.stored();
    for (const listener of this.listeners) listener(before, this.current);
  }

  private async stored(): Promise<Record<Environment, Settings>> {
    const rows = await this.rows.find();
    const of = (environment: Environment) =>
      withChanges(this.defaults, rows.find((row) => row.environment === environment)?.document ?? {});
    return { live: of('live'), test: of('test') };
  }

  /** Retries, so that a failed reading does not lose an announced change. */
  private async reloadUntilDone(): Promise<void> {
    clearTimeout(this.retry);
    try {
      await this.reload();
    } catch (error) {
      this.logger.debug({ err: error }, 'The settings could not be read; retrying');
      this.retry = setTimeout(() => void this.reloadUntilDone(), RETRY_MS).unref();
    }
  }
}
