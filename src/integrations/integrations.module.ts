import { Module } from '@nestjs/common';
import { DiscordModule, TelegramModule, WhatsAppModule } from '#platforms';
import { Configuration } from '../core/config/configuration';
import { Adapters } from './adapters';
import { CallbacksController } from './callbacks.controller';
import { IntegrationStates } from './integration-states';
import { IntegrationStore } from './integration-store';
import { IntegrationsController } from './integrations.controller';
import { Integrations } from './integrations.service';
import { Supervision } from './supervision';

@Module({
  imports: [
    TelegramModule.forRootAsync({
      inject: [Configuration],
      useFactory: ({ telegram }: Configuration) => telegram,
    }),
    WhatsAppModule.forRootAsync({
      inject: [Configuration],
      useFactory: ({ whatsapp }: Configuration) => whatsapp,
    }),
    DiscordModule.forRootAsync({
      inject: [Configuration],
      useFactory: ({ discord }: Configuration) => discord,
    }),
  ],
  controllers: [IntegrationsController, CallbacksController],
  providers: [Adapters, IntegrationStore, IntegrationStates, Integrations, Supervision],
  exports: [Integrations],
})
export class IntegrationsModule {}
