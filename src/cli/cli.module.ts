import { Module, type DynamicModule } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { ClockModule } from '../core/clock/clock.module';
import { ConfigModule } from '../core/config/config.module';
import type { Configuration } from '../core/config/configuration';
import { DatabaseModule } from '../core/database/database.module';
import { EgressModule } from '../core/egress/egress.module';
import { EventsModule } from '../core/events/events.module';
import { WorkModule } from '../core/work/work.module';
import { ObservabilityModule } from '../core/observability/observability.module';
import { RateLimitingModule } from '../core/rate-limiting/rate-limiting.module';
import { SecretsModule } from '../core/secrets/secrets.module';
import { SettingsModule } from '../core/settings/settings.module';
import { ValidationModule } from '../core/validation/validation.module';
import { TimelineModule } from '../messages/timeline/timeline.module';
import { WebhooksModule } from '../webhooks/webhooks.module';

/** The services that commands call. No platform, no AI, no page: what the command line does not use is not built. */
@Module({})
export class CliModule {
  /** @param databaseUrl of a migrated database, without a pooler: the few statements of a command need none */
  static forRoot(configuration: Configuration, databaseUrl: string): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ConfigModule.forRoot(configuration),
        ClockModule,
        ObservabilityModule,
        DatabaseModule.forRoot(databaseUrl),
        WorkModule,
        SecretsModule,
        EgressModule,
        EventsModule,
        RateLimitingModule,
        ValidationModule,
        SettingsModule,
        ApiKeysModule,
        WebhooksModule,
        AdminModule,
        TimelineModule,
      ],
    };
  }
}
