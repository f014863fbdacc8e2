import { Injectable } from '@nestjs/common';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { SandboxAdapter } from '#platforms';
import { ApiError } from '../core/http/lifecycle/api-error';
import { IntegrationStates, type PlatformState } from './connection/integration-states.service';
import { IntegrationStore } from './connection/integration-store.service';
import { directionsOf, type DirectionsDto } from './dto/direction.dto';
import type { IntegrationDto, ReconnectionDto } from './dto/integration.dto';
import { IntegrationHealth } from './health/integration-health.service';
import { Adapters } from './platforms/adapters.service';

/** The state of each platform in each environment. */
@Injectable()
export class Integrations {
  constructor(
    private readonly adapters: Adapters,
    private readonly states: IntegrationStates,
    private readonly store: IntegrationStore,
    private readonly health: IntegrationHealth,
  ) {}

  state(environment: Environment, platform: Platform): PlatformState {
    if (environment === 'test') return sandboxState(platform);
    const { unconfigured } = this.adapters.of(environment, platform);
    if (unconfigured === undefined) return this.states.of(platform);
    return { status: 'disconnected', reason: unconfigured, details: {}, connectedAt: null };
  }

  isConnected(environment: Environment, platform: Platform): boolean {
    return environment === 'test' || this.state(environment, platform).status === 'connected';
  }

  /**
   * While a stopping instance hands the platform over, waits up to five seconds for the next holder.
   * @throws ApiError PLATFORM_NOT_CONNECTED
   */
  async assertConnected(environment: Environment, platform: Platform, recipient: string): Promise<void> {
    if (!this.isConnected(environment, platform)) await this.states.handedOver(platform);
    const played = this.adapters.of(environment, platform).disconnectedFor(recipient);
    const { status, reason } =
      played === undefined ? this.state(environment, platform) : { status: 'disconnected' as const, reason: played };
    if (status !== 'connected') throw notConnected(platform, status, reason ?? status);
  }

  /**
   * For a scheduled send: the platform may still connect until then.
   * @throws ApiError PLATFORM_NOT_CONNECTED
   */
  assertConfigured(environment: Environment, platform: Platform, recipient: string): void {
    const adapter = this.adapters.of(environment, platform);
    const reason = adapter.disconnectedFor(recipient) ?? adapter.unconfigured;
    if (reason !== undefined) throw notConnected(platform, 'disconnected', reason);
  }

  list(environment: Environment): IntegrationDto[] {
    return PLATFORMS.map((platform) =>
      toDto(platform, this.state(environment, platform), this.directions(environment, platform)),
    );
  }

  /** The health of receiving and sending. */
  directions(environment: Environment, platform: Platform): DirectionsDto {
    const receiving = this.health.of(environment, platform, 'receiving');
    // A backlog read before the connection was lost is out of date.
    const backlog = this.isConnected(environment, platform) ? receiving.backlog : null;
    return directionsOf({ ...receiving, backlog }, this.health.of(environment, platform, 'sending'));
  }

  async reconnect(environment: Environment, platform: Platform): Promise<ReconnectionDto> {
    if (environment === 'live') {
      const { unconfigured } = this.adapters.of(environment, platform);
      if (unconfigured !== undefined) throw notConnected(platform, 'disconnected', unconfigured);
      await this.store.requestReconnect(platform);
      await this.states.refresh();
    }
    const message = 'Reconnection has started. Check the status again in 30 seconds.';
    return { platform, status: 'reconnecting', message };
  }
}

const startedAt = new Date();

function sandboxState(platform: Platform): PlatformState {
  return { status: 'connected', reason: null, details: SandboxAdapter.detailsOf(platform), connectedAt: startedAt };
}

function notConnected(platform: Platform, status: string, reason: string): ApiError {
  return new ApiError(
    'PLATFORM_NOT_CONNECTED',
    { platform, status, reason },
    `${platform} is not connected: ${reason.replace(/\.$/, '')}.`,
  );
}

function toDto(
  platform: Platform,
  { status, reason, details, connectedAt }: PlatformState,
  directions: DirectionsDto,
): IntegrationDto {
  return {
    platform,
    status,
    details: { ...details },
    connected_at: connectedAt?.toISOString() ?? null,
    ...directions,
    ...(status !== 'connected' && { error: reason ?? status }),
  };
}
