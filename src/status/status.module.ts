import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AiModule } from '../ai/ai.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { ComponentHealth } from './component-health.service';
import { ComponentMetrics } from './component-metrics.service';
import { Retention } from '../core/events/retention.service';
import { HealthStateEntity } from './entities/health-state.entity';
import { ProblemDismissalEntity } from './entities/problem-dismissal.entity';
import { HealthController } from './health.controller';
import { HealthJudgement } from './health-judgement.service';
import { HeldWorkCounts } from './held-work.service';
import { AiProviderIndicator } from './indicators/ai-provider.indicator';
import { CacheIndicator } from './indicators/cache.indicator';
import { DatabaseIndicator } from './indicators/database.indicator';
import { WorkersIndicator } from './indicators/workers.indicator';
import { MetricsController } from './metrics.controller';
import { HealthWatch } from './health-watch.service';
import { AiProblems } from './problems/ai-problems.service';
import { BackupProblems } from './problems/backup-problems.service';
import { ComponentProblems } from './problems/component-problems.service';
import { IntegrationProblems } from './problems/integration-problems.service';
import { MessageProblems } from './problems/message-problems.service';
import { ProblemEvents } from './problems/problem-events.service';
import { ProblemsController } from './problems/problems.controller';
import { ProblemsService } from './problems/problems.service';
import { WebhookProblems } from './problems/webhook-problems.service';
import { RequestDrain } from './request-drain.service';
import { StatusController } from './status.controller';
import { StatusService } from './status.service';

/** A problem that lasts longer is shown again. */
const DISMISSAL_DAYS = 366;

@Module({
  imports: [
    TerminusModule.forRoot({ errorLogStyle: 'json' }),
    TypeOrmModule.forFeature([HealthStateEntity, ProblemDismissalEntity]),
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
    HealthJudgement,
    HealthWatch,
    HeldWorkCounts,
    RequestDrain,
    ProblemsService,
    ProblemEvents,
    MessageProblems,
    AiProblems,
    IntegrationProblems,
    WebhookProblems,
    BackupProblems,
    ComponentProblems,
  ],
})
export class StatusModule {
  constructor(retention: Retention) {
    retention.keepDays(DISMISSAL_DAYS, (rows, before) =>
      rows.createQueryBuilder(ProblemDismissalEntity, 'old').where('old.dismissedAt < :before', { before }),
    );
  }
}
