import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { Environment } from '#contracts';
import { AiCalls } from '../../ai/ai-calls.service';

@Injectable()
export class AiProviderIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly calls: AiCalls,
  ) {}

  check(environment: Environment) {
    const check = this.indicators.check('ai_provider');
    const status = this.calls.status(environment);
    if (status === 'available') return check.up();
    return status === 'degraded' ? check.degraded('some calls fail') : check.down('does not answer');
  }
}
