import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { fullModelName, type AiProviderName, type Environment } from '#contracts';
import { defaultProvider, providersOfEnvironment } from '../config/ai-access';
import { Configuration } from '../config/configuration';
import { announce, DatabaseListener, RowsInMemory } from '../database/database-listener.service';
import { parameterError } from '../validation/request-faults';
import {
  defaultSettings,
  mergeChanges,
  priceFaults,
  withChanges,
  type Settings,
  type SettingsChanges,
} from './settings';
import { SettingsEntity } from './settings.entity';

/** Channel on which a change of settings is announced; the payload is the environment. */
const SETTINGS_CHANGED = 'settings';

type AllSettings = Readonly<Record<Environment, Settings>>;
type SettingsListener = (before: AllSettings, now: AllSettings) => void;

/** The run-time settings, kept in memory. Every instance reads them again when one instance changes them. */
@Injectable()
export class SettingsService implements OnModuleInit, BeforeApplicationShutdown {
  private defaults: Settings;
  private current: Record<Environment, Settings>;
  private readonly memory = new RowsInMemory('settings', () => this.load());
  private readonly listeners: SettingsListener[] = [];

  constructor(
    private readonly configuration: Configuration,
    private readonly listener: DatabaseListener,
    @InjectRepository(SettingsEntity) private readonly rows: Repository<SettingsEntity>,
  ) {
    this.defaults = this.defaultsWith(defaultProvider(providersOfEnvironment(configuration)));
    this.current = { live: this.defaults, test: this.defaults };
  }

  /** @param provider the AI provider of the settings, until they name one */
  async useProvider(provider: AiProviderName): Promise<void> {
    if (this.defaults.ai.provider === provider) return;
    this.defaults = this.defaultsWith(provider);
    await this.reload();
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
      const named = this.withFullNames(document, patch);
      const changed = mergeChanges(document, named);
      const faults = priceFaults(changed, named);
      if (faults.length > 0) throw parameterError(faults);
      await rows.update(environment, { document: changed, version: () => 'version + 1' });
      await announce(manager, SETTINGS_CHANGED, environment);
    });
    await this.reload();
    return this.of(environment);
  }

  async onModuleInit(): Promise<void> {
    this.memory.follow(this.listener, SETTINGS_CHANGED);
    await this.reload();
  }

  beforeApplicationShutdown(): void {
    this.memory.stop();
  }

  /** Reads the settings for `of`. */
  reload(): Promise<void> {
    return this.memory.read();
  }

  /** @param listener is called after each reading, here and after changes of other instances */
  onChange(listener: SettingsListener): void {
    this.listeners.push(listener);
  }

  private defaultsWith(provider: AiProviderName): Settings {
    const { ai, mail } = this.configuration;
    return defaultSettings({ provider, model: ai.model, ownerEmail: mail.ownerEmail ?? null });
  }

  /** Prices are stored under the full names of their models: a later change of the provider does not move them. */
  private withFullNames(document: SettingsChanges, patch: SettingsChanges): SettingsChanges {
    const { prices } = patch.ai ?? {};
    if (!prices) return patch;
    const provider = patch.ai?.provider ?? withChanges(this.defaults, document).ai.provider;
    const named = Object.entries(prices).map(([model, price]) => [fullModelName(model, provider), price]);
    return { ...patch, ai: { ...patch.ai, prices: Object.fromEntries(named) as typeof prices } };
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
}
