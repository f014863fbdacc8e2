import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AI_PROVIDERS, type AiProviderName } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { announce } from '../../core/database/database-listener.service';
import { RestoreTime } from '../../core/secrets/restore-time.service';
import { SecretBox } from '../../core/secrets/secret-box.service';
import { AiProviderEntity } from '../entities/ai-provider.entity';
import type { ProviderAccess } from '../provider/ai-provider.port';
import { placeOfKey } from './place-of-key';

/** Channel on which a change of a provider is announced; the payload is its name. */
export const PROVIDERS_CHANGED = 'ai_providers';

export interface StoredProvider {
  baseUrl: string | null;
  /** Undefined: it was set before the database was restored, or its key cannot be read. */
  access: ProviderAccess | undefined;
}

/** The providers that the API has set. */
@Injectable()
export class ProviderRows {
  private readonly logger = new Logger(ProviderRows.name);

  constructor(
    @InjectRepository(AiProviderEntity) private readonly rows: Repository<AiProviderEntity>,
    private readonly box: SecretBox,
    private readonly restore: RestoreTime,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<ReadonlyMap<AiProviderName, StoredProvider>> {
    const rows = await this.rows.find();
    // A later version may have stored others.
    const known = rows.filter(({ name }) => AI_PROVIDERS.includes(name));
    return new Map(known.map((row) => [row.name, { baseUrl: row.baseUrl, access: this.accessOf(row) }]));
  }

  async set(name: AiProviderName, apiKey: string | null, baseUrl: string | null): Promise<void> {
    const sealed = apiKey === null ? null : this.box.seal(apiKey, placeOfKey(name, baseUrl));
    await this.rows.manager.transaction(async (manager) => {
      const row = { name, apiKey: sealed, baseUrl, setAt: this.clock.date() };
      await manager.withRepository(this.rows).upsert(row, ['name']);
      await announce(manager, PROVIDERS_CHANGED, name);
    });
  }

  /** @returns false if there was none */
  async delete(name: AiProviderName): Promise<boolean> {
    return this.rows.manager.transaction(async (manager) => {
      const { affected } = await manager.withRepository(this.rows).delete(name);
      await announce(manager, PROVIDERS_CHANGED, name);
      return affected === 1;
    });
  }

  private accessOf({ name, apiKey, baseUrl, setAt }: AiProviderEntity): ProviderAccess | undefined {
    if (this.restore.isFromBefore(setAt)) return undefined;
    const key = apiKey === null ? undefined : this.box.openIfReadable(apiKey, placeOfKey(name, baseUrl));
    if (apiKey !== null && key === undefined) {
      this.logger.warn(`The key of the AI provider ${name} cannot be read with this SECRETS_KEY: set it again`);
      return undefined;
    }
    return { apiKey: key, baseUrl: baseUrl ?? undefined };
  }
}
