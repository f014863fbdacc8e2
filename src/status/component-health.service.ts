import { Injectable } from '@nestjs/common';
import { PLATFORMS, type Environment } from '#contracts';
import { AiCalls } from '../ai/ai-calls.service';
import { within } from '../core/clock/within';
import { Configuration } from '../core/config/configuration';
import { Database } from '../core/database/database.service';
import { WriteHealth } from '../core/database/connections/write-health.service';
import { PING } from './health-state.rows';
import { DueWorkMonitor } from '../core/work/monitor/due-work-monitor.service';
import { RateLimiter } from '../core/rate-limiting/sliding-window';
import { Integrations } from '../integrations/integrations.service';
import { Adapters } from '../integrations/platforms/adapters.service';

export const HEALTH_WORDS = ['healthy', 'degraded', 'unhealthy'] as const;
export type Health = (typeof HEALTH_WORDS)[number];

export interface Components {
  database: Health;
  cache: Health;
  ai_provider: Health;
  workers: Health;
}

const PING_TIMEOUT_MS = 2_000;

const AI_HEALTH = { available: 'healthy', degraded: 'degraded', unavailable: 'unhealthy' } as const;

/** The health of the parts. */
@Injectable()
export class ComponentHealth {
  constructor(
    private readonly configuration: Configuration,
    private readonly database: Database,
    private readonly writes: WriteHealth,
    private readonly work: DueWorkMonitor,
    private readonly limiter: RateLimiter,
    private readonly calls: AiCalls,
    private readonly integrations: Integrations,
    private readonly adapters: Adapters,
  ) {}

  components(environment: Environment, databaseAnswers: boolean): Components {
    return {
      database: databaseAnswers && !this.writes.isFailing ? 'healthy' : 'unhealthy',
      cache: this.limiter.healthy ? 'healthy' : 'degraded',
      ai_provider: AI_HEALTH[this.calls.status(environment)],
      workers: this.work.degraded ? 'degraded' : 'healthy',
    };
  }

  /**
   * Database down, or one that takes no writes: unhealthy. A configured part down: degraded. Parts that are not configured
   * do not count.
   */
  overall(environment: Environment, { database, cache, ai_provider, workers }: Components): Health {
    if (database !== 'healthy') return 'unhealthy';
    const aiCounts = environment === 'test' || this.configuration.ai.apiKey !== undefined;
    if (cache !== 'healthy' || workers !== 'healthy' || (aiCounts && ai_provider !== 'healthy')) return 'degraded';
    const states = PLATFORMS.map((platform) => ({
      counts: this.adapters.of(environment, platform).unconfigured === undefined,
      connected: this.integrations.isConnected(environment, platform),
    }));
    return states.every(({ counts, connected }) => connected || !counts) ? 'healthy' : 'degraded';
  }

  /** Answers within two seconds, also while the database hangs. */
  async databaseAnswers(): Promise<boolean> {
    return within(PING_TIMEOUT_MS, this.database.query(PING, [])).then(
      () => true,
      () => false,
    );
  }
}
