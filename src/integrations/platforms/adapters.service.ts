import { Injectable } from '@nestjs/common';
import { DiscordAdapter, SandboxAdapter, TelegramAdapter, WhatsAppAdapter, type PlatformAdapter } from '#platforms';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { SafeAdapter } from './safe-adapter';
import { IntegrationHealth } from '../health/integration-health.service';

/** What is told of a fault whose own words may name hosts or statements: those belong in the log. */
export const UNEXPECTED = { code: 'unexpected', message: 'an unexpected fault; the log says more' } as const;

/** The adapter of every platform in every environment: the compiler asks for the line of a new platform. */
@Injectable()
export class Adapters {
  private readonly live: Readonly<Record<Platform, PlatformAdapter>>;
  private readonly test: Readonly<Record<Platform, SandboxAdapter>>;

  constructor(
    whatsapp: WhatsAppAdapter,
    telegram: TelegramAdapter,
    discord: DiscordAdapter,
    health: IntegrationHealth,
  ) {
    const guard = (adapter: PlatformAdapter): PlatformAdapter =>
      new SafeAdapter(adapter, (direction) => health.failed('live', adapter.platform, direction, UNEXPECTED));
    this.live = { telegram: guard(telegram), whatsapp: guard(whatsapp), discord: guard(discord) };
    this.test = {
      telegram: new SandboxAdapter('telegram'),
      whatsapp: new SandboxAdapter('whatsapp'),
      discord: new SandboxAdapter('discord'),
    };
  }

  of(environment: Environment, platform: Platform): PlatformAdapter {
    return environment === 'live' ? this.live[platform] : this.test[platform];
  }

  sandbox(platform: Platform): SandboxAdapter {
    return this.test[platform];
  }

  /** The platforms that have credentials. */
  configured(): PlatformAdapter[] {
    return PLATFORMS.map((platform) => this.live[platform]).filter(({ unconfigured }) => unconfigured === undefined);
  }
}
