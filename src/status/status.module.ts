import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { AiModule } from '../ai/ai.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { ComponentHealth } from './components';
import { HealthController } from './health.controller';
import { HealthWatch } from './health-watch';
import { RequestDrain } from './request-drain';
import { StatusController } from './status.controller';
import { StatusService } from './status.service';

@Module({
  imports: [TerminusModule.forRoot({ errorLogStyle: 'json' }), AiModule, IntegrationsModule],
  controllers: [StatusController, HealthController],
  providers: [StatusService, ComponentHealth, HealthWatch, RequestDrain],
})
export class StatusModule {}
