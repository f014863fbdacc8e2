import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { AiHealth } from '../ai/ai-health.service';
import { Integrations } from '../integrations/integrations.service';
import { AiProviderIndicator } from './indicators/ai-provider.indicator';
import { CacheIndicator } from './indicators/cache.indicator';
import { DatabaseIndicator } from './indicators/database.indicator';
import { WorkersIndicator } from './indicators/workers.indicator';

export const HEALTH_WORDS = ['healthy', 'degraded', 'unhealthy'] as const;
export type Health = (typeof HEALTH_WORDS)[number];

export interface Components {
  database: Health;
  cache: Health;
  ai_provider: Health;
  workers: Health;
}

/** The word for each status of an indicator. */
const WORDS = { up: 'healthy', degraded: 'degraded', down: 'unhealthy' } as const;

/** The health of the parts, each checked by its indicator, and the overall health. */
@Injectable()
export class ComponentHealth {
  constructor(
    private readonly ai: AiHealth,
    private readonly database: DatabaseIndicator,
    private readonly cache: CacheIndicator,
    private readonly aiProvider: AiProviderIndicator,
    private readonly workers: WorkersIndicator,
    private readonly integrations: Integrations,
  ) {}

  components(environment: Environment, databaseAnswers: boolean): Components {
    return {
      database: WORDS[this.database.check(databaseAnswers).database.status],
      cache: WORDS[this.cache.check().cache.status],
      ai_provider: WORDS[this.aiProvider.check(environment).ai_provider.status],
      workers: WORDS[this.workers.check().workers.status],
    };
  }

  /**
   * Unhealthy if the database does not answer or accepts no writes, degraded if another configured part fails. Parts that
   * are not configured do not count.
   */
  overall(environment: Environment, components: Components): Health {
    if (components.database !== 'healthy') return 'unhealthy';
    if (this.failing(environment, components).length > 0) return 'degraded';
    return this.integrations.used(environment).every((at) => this.integrations.isConnected(at))
      ? 'healthy'
      : 'degraded';
  }

  /** The parts that count and are not healthy. */
  failing(environment: Environment, components: Components): (keyof Components)[] {
    const aiCounts = this.ai.isConfigured(environment);
    return (Object.keys(components) as (keyof Components)[]).filter(
      (name) => components[name] !== 'healthy' && (name !== 'ai_provider' || aiCounts),
    );
  }

  async databaseAnswers(): Promise<boolean> {
    return (await this.database.answers()).database.status === 'up';
  }
}
