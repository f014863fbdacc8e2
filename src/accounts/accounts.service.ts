import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import {
  DEFAULT_ACCOUNT,
  ENVIRONMENTS,
  fromPublicId,
  newUuid,
  PLATFORMS,
  toPublicId,
  type AccountKey,
  type Environment,
  type Platform,
  type ShownAccount,
} from '#contracts';
import { Configuration } from '../core/config/configuration';
import { DatabaseListener, RowsInMemory } from '../core/database/database-listener.service';
import type { AccountSettings } from './account-settings';
import { AccountEntity, accountKey } from './entities/account.entity';

/** Channel on which a change of an account is announced. */
export const ACCOUNTS_CHANGED = 'accounts';

type PlatformKey = Pick<AccountKey, 'environment' | 'platform'>;

/** All accounts, kept in memory. Every instance reads them again when one instance changes them. */
@Injectable()
export class Accounts implements OnModuleInit, BeforeApplicationShutdown {
  private rows: readonly AccountEntity[] = [];
  private byKey = new Map<string, AccountEntity>();
  private readonly listeners: (() => void)[] = [];
  private readonly memory = new RowsInMemory('accounts', () => this.load());

  constructor(
    private readonly configuration: Configuration,
    private readonly listener: DatabaseListener,
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
  ) {}

  async onModuleInit(): Promise<void> {
    this.memory.follow(this.listener, ACCOUNTS_CHANGED);
    await this.ensureEnvironmentAccounts();
    await this.reload();
  }

  beforeApplicationShutdown(): void {
    this.memory.stop();
  }

  /** Id and name, for reads and events. */
  shown(at: AccountKey): ShownAccount {
    const found = this.find(at);
    // Another instance may have made it less than a second ago.
    if (!found) return { id: toPublicId('account', at.account), name: at.account };
    return { id: toPublicId('account', found.id), name: found.name };
  }

  /** The settings that the account overrides. */
  settingsOf(at: AccountKey): AccountSettings {
    return this.find(at)?.settings ?? {};
  }

  /** The accounts of all platforms that are enabled. */
  enabledIn(environment: Environment): AccountEntity[] {
    return PLATFORMS.flatMap((platform) => this.of({ environment, platform })).filter(({ enabled }) => enabled);
  }

  /** The models that enabled accounts name in place of that of the environment's settings. */
  modelsOf(environment: Environment): string[] {
    return this.enabledIn(environment).flatMap(({ settings }) => settings.ai?.model ?? []);
  }

  find({ environment, platform, account }: AccountKey): AccountEntity | undefined {
    return this.byKey.get(`${environment} ${platform} ${account}`);
  }

  /** Accounts that can be used, the oldest first: without deleted ones, and without that of the environment if it has no variables. */
  of({ environment, platform }: PlatformKey): AccountEntity[] {
    return this.known({ environment, platform }).filter((account) => this.isUsable(account));
  }

  /** All accounts that a platform has had. */
  known({ environment, platform }: PlatformKey): AccountEntity[] {
    return this.rows.filter((row) => row.environment === environment && row.platform === platform);
  }

  isUsable(account: AccountEntity): boolean {
    return account.source === 'environment' ? this.isConfigured(account) : account.deletedAt === null;
  }

  /** The account that a user chose as the default, else the oldest. */
  defaultOf(platform: PlatformKey): AccountEntity | undefined {
    const usable = this.of(platform);
    return usable.find(({ isDefault }) => isDefault) ?? usable[0];
  }

  /** The account with an id or a name; also a deleted one if the id names it. */
  named(platform: PlatformKey, word: string): AccountEntity | undefined {
    const id = fromPublicId('account', word);
    return id === undefined
      ? this.of(platform).find(({ name }) => name === word)
      : this.known(platform).find((account) => account.id === id);
  }

  /** The key of the account that a filter names; also of a deleted one. */
  filtered(environment: Environment, publicId: string): AccountKey | undefined {
    const id = fromPublicId('account', publicId);
    const found = this.rows.find((row) => row.id === id && row.environment === environment);
    return found && { environment, platform: found.platform, account: accountKey(found) };
  }

  byId(environment: Environment, id: string): AccountEntity | undefined {
    const found = this.rows.find((row) => row.id === id && row.environment === environment);
    return found && this.isUsable(found) ? found : undefined;
  }

  /** @param listener is called after each reading, here and after changes of other instances */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  reload(): Promise<void> {
    return this.memory.read();
  }

  private isConfigured({ environment, platform }: PlatformKey): boolean {
    const { telegram, whatsapp, discord } = this.configuration;
    if (environment === 'test') return true;
    return { telegram: telegram.token, whatsapp: whatsapp.account, discord: discord.token }[platform] !== undefined;
  }

  private async load(): Promise<void> {
    this.rows = await this.accounts.find({ order: { createdAt: 'ASC', id: 'ASC' } });
    this.byKey = new Map(this.rows.map((row) => [`${row.environment} ${row.platform} ${accountKey(row)}`, row]));
    for (const listener of this.listeners) listener();
  }

  private async ensureEnvironmentAccounts(): Promise<void> {
    const values = ENVIRONMENTS.flatMap((environment) =>
      PLATFORMS.map((platform: Platform) => ({
        id: newUuid(),
        environment,
        platform,
        source: 'environment' as const,
        name: DEFAULT_ACCOUNT,
      })),
    );
    await this.accounts.createQueryBuilder().insert().values(values).orIgnore().execute();
  }
}
