import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  DiscordAdapter,
  SandboxAdapter,
  TelegramAdapter,
  WhatsAppAdapter,
  type LiveAdapter,
  type OtherAccount,
  type PlatformAdapter,
} from '#platforms';
import { DEFAULT_ACCOUNT, ENVIRONMENTS, PLATFORMS, toPublicId, type AccountKey, type Platform } from '#contracts';
import { AccountCredentials } from '../../accounts/account-credentials.service';
import { Accounts } from '../../accounts/accounts.service';
import { accountKey, type AccountEntity } from '../../accounts/entities/account.entity';
import { IntegrationHealth } from '../health/integration-health.service';
import { AbsentAdapter } from './absent.adapter';
import { SafeAdapter } from './safe-adapter';

export type { OutboundPart, PartOutcome, SendRequest } from '#platforms';
export type { SafeAdapter } from './safe-adapter';

type ByPlatform<Adapter> = Readonly<Record<Platform, Adapter>>;

/** A live account with its adapter. */
export interface LiveAccount {
  adapter: SafeAdapter;
  /** UUID; undefined before the accounts were read. */
  accountId: string | undefined;
  externalId: string | undefined;
  businessAccountId: string | undefined;
}

/** The adapter of an account, made from one version of its credentials. */
interface Known {
  version: number;
  adapter: SafeAdapter;
  source: PlatformAdapter;
  close: () => Promise<void>;
}

/** The only access to the adapters: one for each account. */
@Injectable()
export class Adapters implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Adapters.name);
  private readonly live: ByPlatform<LiveAdapter>;
  private readonly known = new Map<string, Known>();
  private readonly listeners: ((adapter: SafeAdapter) => void)[] = [];
  private readonly changeListeners: (() => void)[] = [];
  private syncing: Promise<void> = Promise.resolve();

  constructor(
    whatsapp: WhatsAppAdapter,
    telegram: TelegramAdapter,
    discord: DiscordAdapter,
    private readonly health: IntegrationHealth,
    private readonly accountRows: Accounts,
    private readonly credentials: AccountCredentials,
  ) {
    // A new platform does not compile until it is listed here.
    this.live = { telegram, whatsapp, discord };
    for (const environment of ENVIRONMENTS)
      for (const platform of PLATFORMS) {
        const adapter = environment === 'live' ? this.live[platform] : new SandboxAdapter(platform);
        this.keep({ environment, platform, account: DEFAULT_ACCOUNT }, adapter, 0);
      }
    accountRows.onChange(() => void this.sync());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.sync();
  }

  /** Those of the environment are closed by their own modules. */
  async onApplicationShutdown(): Promise<void> {
    await this.syncing;
    await Promise.all([...this.known.values()].map(({ close }) => close()));
  }

  of(at: AccountKey): SafeAdapter {
    return this.known.get(keyOf(at))?.adapter ?? this.absent(at);
  }

  /** The live accounts that have credentials and are enabled. */
  configured(): SafeAdapter[] {
    return [...this.known.values()]
      .map(({ adapter }) => adapter)
      .filter(({ at, unconfigured }) => at.environment === 'live' && unconfigured === undefined);
  }

  /** The live accounts of a platform that have credentials and are enabled; that of the environment first. */
  accounts(platform: Platform): LiveAccount[] {
    return [...this.known.values()].flatMap(({ adapter, source }) => {
      const { at, unconfigured } = adapter;
      if (at.environment !== 'live' || at.platform !== platform || unconfigured !== undefined) return [];
      const { externalId, businessAccountId } = source as LiveAdapter;
      return [{ adapter, accountId: this.accountRows.find(at)?.id, externalId, businessAccountId }];
    });
  }

  /** The adapter of the environment's account, which makes those of other accounts. */
  maker(platform: Platform): LiveAdapter {
    return this.live[platform];
  }

  /** @param listener is called with each adapter, those to come included */
  onEach(listener: (adapter: SafeAdapter) => void): void {
    this.listeners.push(listener);
    for (const { adapter } of this.known.values()) listener(adapter);
  }

  /** @param listener is called when accounts were added, removed, or have other credentials */
  onChange(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  /** Makes the adapters of the accounts as they are stored now. */
  sync(): Promise<void> {
    this.syncing = this.syncing
      .then(() => this.apply())
      .catch((err: unknown) => {
        this.logger.error({ err }, 'The accounts could not be applied');
      });
    return this.syncing;
  }

  private async apply(): Promise<void> {
    const wanted = new Map(this.wanted().map((account) => [keyOf(keyFor(account)), account]));
    let isChanged = false;
    for (const [key, { version, adapter, close }] of this.known) {
      if (adapter.at.account === DEFAULT_ACCOUNT || wanted.get(key)?.version === version) continue;
      this.known.delete(key);
      isChanged = true;
      void close().catch(() => undefined);
    }
    for (const [key, account] of wanted) {
      if (this.known.has(key)) continue;
      const adapter = await this.make(account);
      if (!adapter) continue;
      const at = keyFor(account);
      this.keep(at, adapter, account.version, 'close' in adapter ? () => (adapter as LiveAdapter).close() : undefined);
      for (const listener of this.listeners) listener(this.of(at));
      isChanged = true;
    }
    if (isChanged) for (const listener of this.changeListeners) listener();
  }

  private wanted(): AccountEntity[] {
    return ENVIRONMENTS.flatMap((environment) => this.accountRows.enabledIn(environment)).filter(
      ({ source }) => source === 'api',
    );
  }

  /** @returns undefined if the credentials cannot be read */
  private async make(account: AccountEntity): Promise<PlatformAdapter | undefined> {
    const { id, environment, platform, name } = account;
    if (environment === 'test') return new SandboxAdapter(platform);
    const credentials = this.credentials.open(account);
    if (!credentials) {
      this.logger.error(
        `The credentials of the account ${name} of ${platform} cannot be read: SECRETS_KEY has changed`,
      );
      return undefined;
    }
    const other = { id: toPublicId('account', id), credentials } as OtherAccount<Platform>;
    return this.live[platform].another(other);
  }

  private keep(
    at: AccountKey,
    adapter: PlatformAdapter,
    version: number,
    close: Known['close'] = () => Promise.resolve(),
  ): void {
    this.known.set(keyOf(at), { version, adapter: new SafeAdapter(adapter, at, this.health), source: adapter, close });
  }

  private absent(at: AccountKey): SafeAdapter {
    const account = this.accountRows.find(at);
    const reason = !account || account.deletedAt ? 'the account was deleted' : 'the account is disabled';
    const like = at.environment === 'live' ? this.live[at.platform] : new SandboxAdapter(at.platform);
    return new SafeAdapter(new AbsentAdapter(like, reason), at, this.health);
  }
}

function keyFor(account: AccountEntity): AccountKey {
  return { environment: account.environment, platform: account.platform, account: accountKey(account) };
}

function keyOf({ environment, platform, account }: AccountKey): string {
  return `${environment} ${platform} ${account}`;
}
