import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ArrayContains, DataSource, type EntityManager } from 'typeorm';
import { environmentOfKey, newUuid } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { lockForTransaction } from '../core/database/advisory-locks';
import { Configuration } from '../core/config/configuration';
import { ApiKeyEntity } from './entities/api-key.entity';
import { DeploymentSecrets } from '../core/secrets/deployment-secrets';
import { digestKey, generateKey } from './key-format';
import { CREATORS } from './key-record';

/** The first keys: the configured one, or one live and one test key on an empty database. */
@Injectable()
export class BootstrapKeys implements OnModuleInit {
  constructor(
    private readonly configuration: Configuration,
    private readonly dataSource: DataSource,
    private readonly secrets: DeploymentSecrets,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const { bootstrapKey } = this.configuration.keys;
    if (!bootstrapKey) return;
    await this.dataSource.transaction(async (manager) => {
      await lockForTransaction(manager, 'firstKeys');
      await this.insert(manager, bootstrapKey, 'Bootstrap key');
    });
  }

  /**
   * Creates one live and one test key if none exists and none is configured. Call it last in the start: the keys are shown
   * only once, and a later failure would lose them.
   * @param keep stores the keys before they are valid; if it throws, no key is made
   */
  async makeFirst(keep: (keys: readonly string[]) => void): Promise<readonly string[]> {
    if (this.configuration.keys.bootstrapKey) return [];
    return this.dataSource.transaction(async (manager) => {
      await lockForTransaction(manager, 'firstKeys');
      if (await manager.exists(ApiKeyEntity)) return [];
      const keys = [generateKey('live'), generateKey('test')];
      for (const key of keys) await this.insert(manager, key, `First ${environmentOfKey(key)} key`);
      keep(keys);
      return keys;
    });
  }

  /** Leaves an existing row unchanged, so that a revoked key stays revoked. A value that a roll has replaced ends for good. */
  private async insert(manager: EntityManager, key: string, name: string): Promise<void> {
    const digest = digestKey(this.secrets.pepper, key);
    if (await manager.existsBy(ApiKeyEntity, { retiredDigests: ArrayContains([digest]) })) return;
    const row = manager.create(ApiKeyEntity, {
      id: newUuid(this.clock.now()),
      environment: environmentOfKey(key),
      name,
      digest,
      lastFour: key.slice(-4),
      scopes: ['*'],
      tier: 'elite',
      createdBy: CREATORS.start,
      createdAt: this.clock.date(),
    });
    await manager.createQueryBuilder().insert().into(ApiKeyEntity).values(row).orIgnore().execute();
  }
}
