import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { Environment } from '#contracts';
import { AiHealth } from '../../ai/ai-health.service';

@Injectable()
export class AiProviderIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly health: AiHealth,
  ) {}

  check(environment: Environment) {
    const check = this.indicators.check('ai_provider');
    const status = this.health.status(environment);
    if (status === 'available') return check.up();
    return status === 'degraded' ? check.degraded('some health fail') : check.down('does not answer');
  }
}
