import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DiscordModule, TelegramModule, WhatsAppModule } from '#platforms';
import type { Configuration } from '../../core/config/configuration';

/** Gives the adapter of each platform to IntegrationsModule, whose `Adapters` is the door to them for everything else. */
@Global()
@Module({})
export class PlatformsModule {
  static forRoot({ telegram, whatsapp, discord }: Configuration): DynamicModule {
    const platforms = [
      TelegramModule.forRoot(telegram),
      WhatsAppModule.forRoot(whatsapp),
      DiscordModule.forRoot(discord),
    ];
    return { module: PlatformsModule, imports: platforms, exports: platforms };
  }
}
