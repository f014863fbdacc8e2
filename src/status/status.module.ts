import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { AiModule } from '../ai/ai.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { ComponentHealth } from './component-health.service';
import { ComponentMetrics } from './component-metrics.service';
import { Retention } from '../core/events/retention.service';
import { HealthStateEntity } from './entities/health-state.entity';
import { ProblemDismissalEntity } from './entities/problem-dismissal.entity';
import { HealthController } from './health.controller';
import { HealthEvaluator } from './health-evaluator.service';
import { HeldWorkCounts } from './held-work.service';
import { AiProviderIndicator } from './indicators/ai-provider.indicator';
import { CacheIndicator } from './indicators/cache.indicator';
import { DatabaseIndicator } from './indicators/database.indicator';
import { WorkersIndicator } from './indicators/workers.indicator';
import { MetricsController } from './metrics.controller';
import { HealthWatch } from './health-watch.service';
import { AiProblems } from './problems/sources/ai-problems.service';
import { BackupProblems } from './problems/sources/backup-problems.service';
import { ComponentProblems } from './problems/sources/component-problems.service';
import { HandoverProblems } from './problems/sources/handover-problems.service';
import { IntegrationProblems } from './problems/sources/integration-problems.service';
import { MediaProblems } from './problems/sources/media-problems.service';
import { MessageProblems } from './problems/sources/message-problems.service';
import { ProblemEvents } from './problems/sources/problem-events.service';
import { ProblemsController } from './problems/problems.controller';
import { ProblemsService } from './problems/problems.service';
import { ToolProblems } from './problems/sources/tool-problems.service';
import { WebhookProblems } from './problems/sources/webhook-problems.service';
import { RequestDrain } from './request-drain.service';
import { StatusController } from './status.controller';
import { StatusService } from './status.service';

/** A dismissed problem that lasts longer is shown again. */
const DISMISSAL_DAYS = 366;

@Module({
  imports: [
    TerminusModule.forRoot({ errorLogStyle: 'json' }),
    TypeOrmModule.forFeature([HealthStateEntity, ProblemDismissalEntity]),
    AccountsModule,
    AiModule,
    IntegrationsModule,
  ],
  controllers: [StatusController, HealthController, MetricsController, ProblemsController],
  providers: [
    StatusService,
    DatabaseIndicator,
    CacheIndicator,
    AiProviderIndicator,
    WorkersIndicator,
    ComponentHealth,
    ComponentMetrics,
    HealthEvaluator,
    HealthWatch,
    HeldWorkCounts,
    RequestDrain,
    ProblemsService,
    ProblemEvents,
    MessageProblems,
    AiProblems,
    IntegrationProblems,
    WebhookProblems,
    ToolProblems,
    BackupProblems,
    ComponentProblems,
    HandoverProblems,
    MediaProblems,
  ],
})
export class StatusModule {
  constructor(retention: Retention) {
    retention.keepDays(DISMISSAL_DAYS, (rows, before) =>
      rows.createQueryBuilder(ProblemDismissalEntity, 'old').where('old.dismissedAt < :before', { before }),
    );
  }
}
