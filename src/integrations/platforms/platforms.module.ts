import { type DynamicModule, type FactoryProvider, Global, Module } from '@nestjs/common';
import { DiscordModule, Pacer, TelegramModule, WhatsAppModule } from '#platforms';
import type { Configuration } from '../../core/config/configuration';
import { RateLimiter } from '../../core/rate-limiting/rate-limiter.service';

/** All processes of a deployment share the turns that `RateLimiter` gives. */
const PACER: FactoryProvider<Pacer> = {
  provide: Pacer,
  inject: [RateLimiter],
  useFactory: (limiter: RateLimiter) => ({ turnIn: (paces, longestMs) => limiter.turnIn(paces, longestMs) }),
};

/** The platforms' own modules. The rest of the gateway uses them through `Adapters` of IntegrationsModule. */
@Global()
@Module({})
export class PlatformsModule {
  static forRoot({ telegram, whatsapp, discord }: Configuration): DynamicModule {
    const platforms = [
      TelegramModule.forRoot(telegram),
      WhatsAppModule.forRoot(whatsapp),
      DiscordModule.forRoot(discord),
    ];
    return { module: PlatformsModule, imports: platforms, providers: [PACER], exports: [...platforms, Pacer] };
  }
}
