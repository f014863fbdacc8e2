import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Configuration } from '../config/configuration';
import { Database, statement } from '../database/database.service';
import { ANNOUNCE, DatabaseListener } from '../database/database-listener.service';
import { defaultSettings, mergeChanges, withChanges, type Settings, type SettingsChanges } from './settings';

/** What a change of settings is announced under; the payload is the environment. */
const SETTINGS_CHANGED = 'settings';

/** How long after a failed reading the settings are read again, in milliseconds. */
const RETRY_MS = 500;

const OPEN = statement(
  'settings-open',
  `INSERT INTO settings (environment, document) VALUES ($1, '{}') ON CONFLICT (environment) DO NOTHING`,
);
const READ = statement('settings-read', 'SELECT environment, document FROM settings');
const LOCK = statement('settings-lock', 'SELECT document FROM settings WHERE environment = $1 FOR UPDATE');
const WRITE = statement(
  'settings-write',
  'UPDATE settings SET document = $2::jsonb, version = version + 1 WHERE environment = $1',
);

/** The run-time settings, kept in memory and read anew on every instance when one of them changes them. */
@Injectable()
export class SettingsService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(SettingsService.name);
  private readonly defaults: Settings;
  private current: Record<Environment, Settings>;
  private reading: Promise<void> = Promise.resolve();
  private retry?: NodeJS.Timeout;

  constructor(
    configuration: Configuration,
    private readonly listener: DatabaseListener,
    private readonly database: Database,
  ) {
    this.defaults = defaultSettings({
      model: configuration.ai.model,
      ownerEmail: configuration.mail.ownerEmail ?? null,
    });
    this.current = { live: this.defaults, test: this.defaults };
  }

  /** Never older than a second, as long as the database can be heard. */
  of(environment: Environment): Settings {
    return this.current[environment];
  }

  /** As stored now, on whatever instance they were changed. */
  async read(environment: Environment): Promise<Settings> {
    return (await this.stored())[environment];
  }

  /**
   * Lays a partial change over the settings, under a lock: of two at once none is lost.
   * @param patch valid (see settings-rules)
   * @returns the whole settings, in force here; elsewhere within a second
   */
  async change(environment: Environment, patch: Record<string, unknown>): Promise<Settings> {
    await this.database.transaction(async (client) => {
      await this.database.query(OPEN, [environment], client);
      const [row] = await this.database.query<{ document: Record<string, unknown> }>(LOCK, [environment], client);
      const document = mergeChanges(row!.document, patch);
      await this.database.query(WRITE, [environment, JSON.stringify(document)], client);
      await this.database.query(ANNOUNCE, [SETTINGS_CHANGED, environment], client);
    });
    await this.reload();
    return this.of(environment);
  }

  async onModuleInit(): Promise<void> {
    const reloadSoon = () => void this.reloadSurely();
    this.listener.on(SETTINGS_CHANGED, reloadSoon);
    this.listener.onResync(reloadSoon);
    await this.reload();
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.retry);
  }

  /** One after the other: of two readings the older must not win. */
  private reload(): Promise<void> {
    const reading = this.reading.then(() => this.load());
    this.reading = reading.catch(() => undefined);
    return reading;
  }

  private async load(): Promise<void> {
    this.current = await this.stored();
  }

  private async stored(): Promise<Record<Environment, Settings>> {
    const rows = await this.database.query<{ environment: Environment; document: SettingsChanges }>(READ, []);
    const of = (environment: Environment) =>
      withChanges(this.defaults, rows.find((row) => row.environment === environment)?.document ?? {});
    return { live: of('live'), test: of('test') };
  }

  /** A change that was heard must not be missed because it could not be read. */
  private async reloadSurely(): Promise<void> {
    clearTimeout(this.retry);
    try {
      await this.reload();
    } catch (error) {
      this.logger.debug({ err: error }, 'The settings could not be read; trying again');
      this.retry = setTimeout(() => void this.reloadSurely(), RETRY_MS).unref();
    }
  }
}
