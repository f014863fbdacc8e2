import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { AccountChanges } from './accounts/account-changes.service';
import { AccountCallbacks } from './callbacks/account-callbacks.service';
import { AccountNotices } from './inbound/account-notices.service';
import { Adapters } from './platforms/adapters.service';
import { CallbackBodies } from './callbacks/callback-bodies.service';
import { CallbacksController } from './callbacks/callbacks.controller';
import { IntegrationHealthEntity } from './entities/integration-health.entity';
import { IntegrationNoticeEntity } from './entities/integration-notice.entity';
import { IntegrationEntity } from './entities/integration.entity';
import { IntegrationHealth } from './health/integration-health.service';
import { IntegrationHealthStore } from './health/integration-health-store.service';
import { IntegrationStates } from './connection/integration-states.service';
import { IntegrationStore } from './connection/integration-store.service';
import { IntegrationsController } from './integrations.controller';
import { Integrations } from './integrations.service';
import { PlatformMetrics } from './health/platform-metrics.service';
import { GroupReplies } from './inbound/group-replies.service';
import { InboundSinks } from './inbound/inbound-sinks.service';
import { MessageTemplateEntity } from './entities/message-template.entity';
import { TemplatesController } from './templates/templates.controller';
import { Templates } from './templates/templates.service';
import { Supervision } from './connection/supervision.service';

@Module({
  imports: [
    AccountsModule,
    TypeOrmModule.forFeature([
      IntegrationEntity,
      IntegrationHealthEntity,
      IntegrationNoticeEntity,
      MessageTemplateEntity,
    ]),
  ],
  controllers: [IntegrationsController, CallbacksController, TemplatesController],
  providers: [
    AccountCallbacks,
    AccountChanges,
    CallbackBodies,
    AccountNotices,
    Adapters,
    GroupReplies,
    InboundSinks,
    IntegrationHealthStore,
    IntegrationHealth,
    IntegrationStore,
    IntegrationStates,
    Integrations,
    PlatformMetrics,
    Supervision,
    Templates,
  ],
  exports: [AccountNotices, Adapters, GroupReplies, InboundSinks, Integrations, Templates],
})
export class IntegrationsModule {}
