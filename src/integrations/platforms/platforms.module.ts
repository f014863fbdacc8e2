import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DiscordModule, TelegramModule, WhatsAppModule } from '#platforms';
import type { Configuration } from '../../core/config/configuration';

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
    return { module: PlatformsModule, imports: platforms, exports: platforms };
  }
}
