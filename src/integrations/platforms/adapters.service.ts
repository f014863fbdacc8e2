import { Injectable } from '@nestjs/common';
import { DiscordAdapter, SandboxAdapter, TelegramAdapter, WhatsAppAdapter, type PlatformAdapter } from '#platforms';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { IntegrationHealth } from '../health/integration-health.service';
import { SafeAdapter } from './safe-adapter';

export type { OutboundPart, PartOutcome, SendRequest } from '#platforms';
export type { SafeAdapter } from './safe-adapter';

type ByPlatform<Adapter> = Readonly<Record<Platform, Adapter>>;

/** The only access to the adapters: one for each platform and environment. */
@Injectable()
export class Adapters {
  private readonly adapters: Readonly<Record<Environment, ByPlatform<SafeAdapter>>>;

  constructor(
    whatsapp: WhatsAppAdapter,
    telegram: TelegramAdapter,
    discord: DiscordAdapter,
    health: IntegrationHealth,
  ) {
    // A new platform does not compile until it is listed here.
    const live: ByPlatform<PlatformAdapter> = { telegram, whatsapp, discord };
    this.adapters = {
      live: byPlatform((platform) => new SafeAdapter(live[platform], 'live', health)),
      test: byPlatform((platform) => new SafeAdapter(new SandboxAdapter(platform), 'test', health)),
    };
  }

  of(environment: Environment, platform: Platform): SafeAdapter {
    return this.adapters[environment][platform];
  }

  /** The live platforms that have credentials. */
  configured(): SafeAdapter[] {
    return Object.values(this.adapters.live).filter(({ unconfigured }) => unconfigured === undefined);
  }
}

function byPlatform<Adapter>(adapterOf: (platform: Platform) => Adapter): ByPlatform<Adapter> {
  const entries = PLATFORMS.map((platform) => [platform, adapterOf(platform)] as const);
  return Object.fromEntries(entries) as Record<Platform, Adapter>;
}
