import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { MOST_ACCOUNTS, newUuid, PLATFORM_NAMES, type Environment, type Platform } from '#contracts';
import { lockForTransaction } from '../core/database/advisory-locks';
import { announce } from '../core/database/database-listener.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { AccountCredentials } from './account-credentials.service';
import { mergedSettings, type SettingsChanges } from './account-settings';
import { Accounts, ACCOUNTS_CHANGED } from './accounts.service';
import { AccountEntity } from './entities/account.entity';
import { NEEDS_FINISHED_SCHEMA } from './accounts.rows';

export interface NewAccount {
  environment: Environment;
  platform: Platform;
  name: string;
  credentials: Record<string, string>;
  /** The bot's or number's id at the platform; null if the sandbox cannot tell. */
  externalId: string | null;
}

export interface AccountChange {
  name?: string;
  /** Checked with the platform. */
  credentials?: Record<string, string>;
  enabled?: boolean;
  isDefault?: true;
  settings?: SettingsChanges;
}

/** Writes accounts, one change after the other, and tells all instances. */
@Injectable()
export class AccountStore {
  constructor(
    @InjectRepository(AccountEntity) private readonly rows: Repository<AccountEntity>,
    private readonly accounts: Accounts,
    private readonly sealed: AccountCredentials,
  ) {}

  /** Whether an account needs keys that the schema has only once it is finished. @param id of a deleted account that comes back */
  async needsFinishedSchema(environment: Environment, platform: Platform, id?: string): Promise<boolean> {
    const others = this.accounts.known({ environment, platform });
    if (others.some((one) => one.id !== id && (one.source === 'api' || this.accounts.isUsable(one)))) return true;
    const [row] = await this.rows.query<{ needed: boolean }[]>(NEEDS_FINISHED_SCHEMA, [
      environment,
      platform,
      id ?? '',
    ]);
    return row!.needed;
  }

  /** A deleted account of the same bot or number comes back. @throws ApiError INVALID_PARAMETER, INVALID_REQUEST */
  create(account: NewAccount): Promise<AccountEntity> {
    return this.change(async (rows) => {
      const { environment, platform, name, credentials, externalId } = account;
      const all = await rows.findBy({ environment });
      const usable = all.filter((one) => this.accounts.isUsable(one));
      const former = all.find(
        (one) => one.platform === platform && externalId !== null && one.externalId === externalId,
      );
      if (former && !former.deletedAt) throw exists(platform);
      if (usable.length >= MOST_ACCOUNTS)
        throw ApiError.malformed(`an environment has at most ${MOST_ACCOUNTS} accounts`);
      const ofPlatform = usable.filter((one) => one.platform === platform);
      assertFree(name, ofPlatform);
      const id = former?.id ?? newUuid();
      await rows.save({
        ...(former ?? { id, environment, platform, source: 'api' as const, settings: {}, version: 0 }),
        name,
        externalId,
        credentials: this.sealed.seal(credentials, id),
        enabled: true,
        isDefault: ofPlatform.length === 0,
        version: (former?.version ?? 0) + 1,
        deletedAt: null,
      });
      return id;
    });
  }

  /** @throws ApiError INVALID_PARAMETER, RESOURCE_NOT_FOUND */
  update(account: AccountEntity, change: AccountChange): Promise<AccountEntity> {
    return this.change(async (rows) => {
      const { id, environment, platform } = account;
      const current = await rows.findOneByOrFail({ id });
      const { name, credentials, enabled, isDefault, settings } = change;
      if (name !== undefined) {
        const others = await rows.findBy({ environment, platform });
        assertFree(
          name,
          others.filter((one) => one.id !== id && this.accounts.isUsable(one)),
        );
      }
      if (isDefault) await rows.update({ environment, platform, isDefault: true }, { isDefault: false });
      const values = {
        ...(name !== undefined && { name }),
        ...(enabled !== undefined && { enabled }),
        ...(isDefault && { isDefault }),
        ...(settings && { settings: mergedSettings(current.settings, settings) }),
        ...(credentials && { credentials: this.sealed.seal(credentials, id), version: current.version + 1 }),
      };
      // TypeORM throws UpdateValuesMissingError if there is nothing to set.
      if (Object.keys(values).length > 0) await rows.update(id, values);
      return id;
    });
  }

  /** Its row stays, for its conversations. The credentials are removed. */
  async delete({ id }: AccountEntity): Promise<void> {
    await this.change(async (rows) => {
      await rows.update(id, { deletedAt: () => 'now()', credentials: null, isDefault: false });
      return id;
    });
  }

  private async change(work: (rows: Repository<AccountEntity>) => Promise<string>): Promise<AccountEntity> {
    const id = await this.rows.manager.transaction(async (transaction: EntityManager) => {
      await lockForTransaction(transaction, 'accounts');
      const changed = await work(transaction.withRepository(this.rows));
      await announce(transaction, ACCOUNTS_CHANGED, changed);
      return changed;
    });
    await this.accounts.reload();
    return this.rows.findOneByOrFail({ id });
  }
}

/** @throws ApiError INVALID_PARAMETER */
function assertFree(name: string, others: readonly AccountEntity[]): void {
  if (others.some((one) => one.name === name))
    throw ApiError.invalidParameter('name', 'is the name of another account of the platform', name);
}

export function exists(platform: Platform): ApiError {
  return ApiError.invalidParameter(
    'credentials',
    `are of a bot or number that already is an account of ${PLATFORM_NAMES[platform]}`,
  );
}
