import { Module } from '@nestjs/common';
import { DiscordModule, TelegramModule, WhatsAppModule } from '#platforms';
import { Configuration } from '../core/config/configuration';
import { Adapters } from './adapters';
import { CallbacksController } from './callbacks.controller';
import { IntegrationHealth } from './integration-health';
import { IntegrationHealthStore } from './integration-health-store';
import { IntegrationStates } from './integration-states';
import { IntegrationStore } from './integration-store';
import { IntegrationsController } from './integrations.controller';
import { Integrations } from './integrations.service';
import { PlatformMetrics } from './platform-metrics';
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
  providers: [
    Adapters,
    IntegrationHealthStore,
    IntegrationHealth,
    IntegrationStore,
    IntegrationStates,
    Integrations,
    PlatformMetrics,
    Supervision,
  ],
  exports: [Integrations],
})
export class IntegrationsModule {}
