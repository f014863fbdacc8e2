import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Configuration } from '../config/configuration';
import { DatabaseListener } from '../database/database-listener';
import { SettingsEntity } from '../database/entities/settings.entity';
import { defaultSettings, withChanges, type Settings } from './settings';

/** What a change of settings is announced under; the payload is the environment. */
export const SETTINGS_CHANGED = 'settings';

/** The run-time settings, kept in memory and read anew on every instance when one of them changes them. */
@Injectable()
export class SettingsStore implements OnModuleInit {
  private readonly defaults: Settings;
  private readonly current: Record<Environment, Settings>;

  constructor(
    configuration: Configuration,
    @InjectRepository(SettingsEntity) private readonly rows: Repository<SettingsEntity>,
    private readonly listener: DatabaseListener,
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

  async onModuleInit(): Promise<void> {
    this.listener.on(SETTINGS_CHANGED, () => void this.reload().catch(() => undefined));
    this.listener.onResync(() => void this.reload().catch(() => undefined));
    await this.reload();
  }

  private async reload(): Promise<void> {
    const rows = await this.rows.find();
    for (const environment of ENVIRONMENTS) {
      const changes = rows.find((row) => row.environment === environment)?.document ?? {};
      this.current[environment] = withChanges(this.defaults, changes);
    }
  }
}
