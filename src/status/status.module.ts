import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AiModule } from '../ai/ai.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { ComponentHealth } from './component-health.service';
import { ComponentMetrics } from './component-metrics.service';
import { HealthStateEntity } from './entities/health-state.entity';
import { HealthController } from './health.controller';
import { HealthJudgement } from './health-judgement.service';
import { HeldWorkCounts } from './held-work.service';
import { AiProviderIndicator } from './indicators/ai-provider.indicator';
import { CacheIndicator } from './indicators/cache.indicator';
import { DatabaseIndicator } from './indicators/database.indicator';
import { WorkersIndicator } from './indicators/workers.indicator';
import { MetricsController } from './metrics.controller';
import { HealthWatch } from './health-watch.service';
import { RequestDrain } from './request-drain.service';
import { StatusController } from './status.controller';
import { StatusService } from './status.service';

@Module({
  imports: [
    TerminusModule.forRoot({ errorLogStyle: 'json' }),
    TypeOrmModule.forFeature([HealthStateEntity]),
    AiModule,
    IntegrationsModule,
  ],
  controllers: [StatusController, HealthController, MetricsController],
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
  ],
})
export class StatusModule {}
