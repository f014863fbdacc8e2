import type { DynamicModule, Type } from '@nestjs/common';
import { ClockModule } from './core/clock/clock.module';
import { ConfigModule } from './core/config/config.module';
import type { Configuration } from './core/config/configuration';
import { EgressModule } from './core/egress/egress.module';
import { ErasureModule } from './core/erasure/erasure.module';
import { EventsModule } from './core/events/events.module';
import { ObservabilityModule } from './core/observability/observability.module';
import { RateLimitingModule } from './core/rate-limiting/rate-limiting.module';
import { SecretsModule } from './core/secrets/secrets.module';
import { SettingsModule } from './core/settings/settings.module';
import { ValidationModule } from './core/validation/validation.module';
import { WorkModule } from './core/work/work.module';

/** The global modules that the server and the command line share. */
export function coreModules(configuration: Configuration, database: DynamicModule): (DynamicModule | Type)[] {
  return [
    ConfigModule.forRoot(configuration),
    ClockModule,
    ObservabilityModule,
    database,
    WorkModule,
    SecretsModule,
    EgressModule,
    EventsModule,
    ErasureModule,
    RateLimitingModule,
    ValidationModule,
    SettingsModule,
  ];
}
