import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AdminModule } from './admin/admin.module';
import { AiModule } from './ai/ai.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { ApiKeyGuard } from './api-keys/guards/api-key.guard';
import { ApiThrottlerGuard } from './api-keys/guards/api-throttler.guard';
import { ScopeGuard } from './api-keys/guards/scope.guard';
import { BillingModule } from './billing/billing.module';
import { ConversationsModule } from './conversations/conversations.module';
import { coreModules } from './core-modules';
import type { Configuration } from './core/config/configuration';
import { workersOf } from './core/config/workers';
import { DashboardModule } from './dashboard/dashboard.module';
import { StartConnections } from './core/database/connections/start-connections';
import { DatabaseModule } from './core/database/database.module';
import { AuditTrail } from './admin/audit/audit-trail.service';
import { RefusalCounter } from './core/http/hardening/refusal-counter.service';
import { HardeningModule } from './core/http/hardening/hardening.module';
import { BodyInterceptor } from './core/http/lifecycle/body.interceptor';
import { EnvelopeInterceptor } from './core/http/lifecycle/envelope.interceptor';
import { ErrorFilter } from './core/http/lifecycle/error.filter';
import { UnknownParametersInterceptor } from './core/validation/unknown-parameters.interceptor';
import { ParameterValidation } from './core/validation/validation.pipe';
import { IdempotencyModule } from './core/idempotency/idempotency.module';
import { IntegrationsModule } from './integrations/integrations.module';
import { PlatformsModule } from './integrations/platforms/platforms.module';
import { LiveModule } from './live/live.module';
import { MediaModule } from './media/media.module';
import { MessagesModule } from './messages/messages.module';
import { StatusModule } from './status/status.module';
import { BackupsModule } from './operations/backups/backups.module';
import { TimelineModule } from './timeline/timeline.module';
import { WebhooksModule } from './webhooks/webhooks.module';

@Module({})
export class AppModule {
  /**
   * @param databaseUrl of a migrated database
   * @param connections the caller closes them if the start fails
   */
  static forRoot(
    configuration: Configuration,
    databaseUrl: string,
    connections = new StartConnections(),
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ...coreModules(
          configuration,
          DatabaseModule.forRoot(
            databaseUrl,
            {
              directUrl: configuration.databaseDirectUrl,
              prepared: configuration.databasePrepared,
              workers: workersOf(configuration),
            },
            connections,
          ),
        ),
        HardeningModule,
        IdempotencyModule,
        ApiKeysModule,
        PlatformsModule.forRoot(configuration),
        IntegrationsModule,
        ConversationsModule,
        MediaModule,
        BillingModule,
        MessagesModule,
        TimelineModule,
        AiModule,
        StatusModule,
        WebhooksModule,
        LiveModule,
        AdminModule,
        BackupsModule,
        ...(configuration.http.dashboard ? [DashboardModule] : []),
      ],
      providers: [
        RefusalCounter,
        AuditTrail,
        // Nest runs these in this order, also for the listeners of nestjs-telegraf and necord.
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useClass: ApiThrottlerGuard },
        { provide: APP_GUARD, useClass: ScopeGuard },
        { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: UnknownParametersInterceptor },
        { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
        { provide: APP_PIPE, useClass: ParameterValidation },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
