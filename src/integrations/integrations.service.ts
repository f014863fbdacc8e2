import { Injectable } from '@nestjs/common';
import { DEFAULT_ACCOUNT, PLATFORMS, toPublicId, type AccountKey, type Environment, type Platform } from '#contracts';
import { SandboxAdapter } from '#platforms';
import { shownSettings } from '../accounts/dto/account-settings.dto';
import { Accounts } from '../accounts/accounts.service';
import { accountKey, type AccountEntity } from '../accounts/entities/account.entity';
import { ApiError } from '../core/http/lifecycle/api-error';
import { IntegrationStates, type PlatformState } from './connection/integration-states.service';
import { IntegrationStore } from './connection/integration-store.service';
import { directionsOf, type DirectionsDto } from './dto/direction.dto';
import type { IntegrationDto, ReconnectionDto } from './dto/integration.dto';
import { IntegrationHealth } from './health/integration-health.service';
import { GroupReplies } from './inbound/group-replies.service';
import { Adapters } from './platforms/adapters.service';

/** The state of each account. */
@Injectable()
export class Integrations {
  constructor(
    private readonly adapters: Adapters,
    private readonly states: IntegrationStates,
    private readonly store: IntegrationStore,
    private readonly health: IntegrationHealth,
    private readonly accounts: Accounts,
    private readonly groupReplies: GroupReplies,
  ) {}

  state(at: AccountKey): PlatformState {
    const { unconfigured } = this.adapters.of(at);
    if (unconfigured !== undefined)
      return { status: 'disconnected', reason: unconfigured, details: {}, connectedAt: null };
    return at.environment === 'test' ? sandboxState(at.platform) : this.states.of(at);
  }

  isConnected(at: AccountKey): boolean {
    return this.state(at).status === 'connected';
  }

  /** The accounts of an environment that have credentials and are enabled. */
  used(environment: Environment): AccountKey[] {
    return this.accounts.enabledIn(environment).map((account) => keyFor(account));
  }

  /** The default account of a platform; without accounts, that of the environment, which is not connected. */
  defaultOf(environment: Environment, platform: Platform): AccountKey {
    const account = this.accounts.defaultOf({ environment, platform });
    return { environment, platform, account: account ? accountKey(account) : DEFAULT_ACCOUNT };
  }

  /**
   * While a stopping instance hands the platform over, waits up to five seconds for the next holder.
   * @throws ApiError PLATFORM_NOT_CONNECTED
   */
  async assertConnected(at: AccountKey, recipient: string): Promise<void> {
    if (!this.isConnected(at) && this.adapters.of(at).unconfigured === undefined) await this.states.handedOver(at);
    const played = this.adapters.of(at).disconnectedFor(recipient);
    const { status, reason } =
      played === undefined ? this.state(at) : { status: 'disconnected' as const, reason: played };
    if (status !== 'connected') throw notConnected(at.platform, status, reason ?? status);
  }

  /**
   * For a scheduled send: the platform may still connect until then.
   * @throws ApiError PLATFORM_NOT_CONNECTED
   */
  assertConfigured(at: AccountKey, recipient: string): void {
    const adapter = this.adapters.of(at);
    const reason = adapter.disconnectedFor(recipient) ?? adapter.unconfigured;
    if (reason !== undefined) throw notConnected(at.platform, 'disconnected', reason);
  }

  /** An item for each account; a platform without accounts has one without an id. */
  list(environment: Environment): IntegrationDto[] {
    return PLATFORMS.flatMap((platform) => {
      const accounts = this.accounts.of({ environment, platform });
      return accounts.length > 0
        ? accounts.map((account) => this.item(account))
        : [this.emptyItem(environment, platform)];
    });
  }

  /** All accounts of a platform in brief. */
  accountsOf(environment: Environment, platform: Platform) {
    const defaultId = this.accounts.defaultOf({ environment, platform })?.id;
    return this.accounts.of({ environment, platform }).map((account) => {
      const { status, reason } = this.state(keyFor(account));
      return {
        ...this.accounts.shown(keyFor(account)),
        status,
        is_default: account.id === defaultId,
        ...(status !== 'connected' && { error: reason ?? status }),
      };
    });
  }

  item(account: AccountEntity): IntegrationDto {
    const at = keyFor(account);
    return this.toDto(at.platform, this.state(at), this.directions(at), {
      id: toPublicId('account', account.id),
      name: account.name,
      is_default: this.accounts.defaultOf(at)?.id === account.id,
      source: account.source,
      enabled: account.enabled,
      settings: shownSettings(account.settings),
    });
  }

  /** The health of receiving and sending. */
  directions(at: AccountKey): DirectionsDto {
    const receiving = this.health.of(at, 'receiving');
    // A backlog read before the connection was lost is out of date.
    const backlog = this.isConnected(at) ? receiving.backlog : null;
    return directionsOf({ ...receiving, backlog }, this.health.of(at, 'sending'));
  }

  /** Reconnects all usable accounts of a platform, or one. @throws ApiError PLATFORM_NOT_CONNECTED without a usable one */
  async reconnect(environment: Environment, platform: Platform, only?: AccountEntity): Promise<ReconnectionDto> {
    if (environment === 'live') {
      const accounts = only ? [keyFor(only)] : this.used(environment).filter((at) => at.platform === platform);
      const wanted = accounts.length > 0 ? accounts : [this.defaultOf(environment, platform)];
      const usable = wanted.filter((at) => this.adapters.of(at).unconfigured === undefined);
      if (usable.length === 0) throw notConnected(platform, 'disconnected', this.adapters.of(wanted[0]!).unconfigured!);
      for (const at of usable) await this.store.requestReconnect(at);
      await this.states.refresh();
    }
    const message = 'Reconnection has started. Check the status again in 30 seconds.';
    return { platform, status: 'reconnecting', message };
  }

  private emptyItem(environment: Environment, platform: Platform): IntegrationDto {
    const at = { environment, platform, account: DEFAULT_ACCOUNT };
    return this.toDto(platform, this.state(at), this.directions(at), {
      id: null,
      name: null,
      is_default: false,
      source: null,
      enabled: false,
      settings: shownSettings({}),
    });
  }

  private toDto(
    platform: Platform,
    { status, reason, details, connectedAt }: PlatformState,
    directions: DirectionsDto,
    account: Pick<IntegrationDto, 'id' | 'name' | 'is_default' | 'source' | 'enabled' | 'settings'>,
  ): IntegrationDto {
    return {
      ...account,
      inherited: { group_replies: this.groupReplies.inheritedBy(platform) },
      platform,
      status,
      details: { ...details },
      connected_at: connectedAt?.toISOString() ?? null,
      ...directions,
      ...(status !== 'connected' && { error: reason ?? status }),
    };
  }
}

function keyFor(account: AccountEntity): AccountKey {
  return { environment: account.environment, platform: account.platform, account: accountKey(account) };
}

const startedAt = new Date();

function sandboxState(platform: Platform): PlatformState {
  return { status: 'connected', reason: null, details: SandboxAdapter.detailsOf(platform), connectedAt: startedAt };
}

export function notConnected(platform: Platform, status: string, reason: string): ApiError {
  return new ApiError(
    'PLATFORM_NOT_CONNECTED',
    { platform, status, reason },
    `${platform} is not connected: ${reason.replace(/\.$/, '')}.`,
  );
}
