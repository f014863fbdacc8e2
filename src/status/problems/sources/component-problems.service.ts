import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { ComponentHealth, type Components } from '../../component-health.service';
import { HealthEvaluator } from '../../health-evaluator.service';
import type { Problem, ProblemSource } from '../problem';

const TITLES: Readonly<Record<keyof Components, string>> = {
  database: 'The database does not respond, or refuses writes.',
  cache: 'Redis cannot be reached.',
  ai_provider: 'The AI provider fails or responds with errors.',
  workers: 'Background work is stuck.',
};

/** Parts that are not healthy, as `GET /status` shows them. */
@Injectable()
export class ComponentProblems implements ProblemSource {
  constructor(
    private readonly evaluator: HealthEvaluator,
    private readonly health: ComponentHealth,
  ) {}

  async find(environment: Environment): Promise<Problem[]> {
    const { components, since } = await this.evaluator.read(environment);
    return this.health.failing(environment, components).map((component) => {
      const at = new Date(since[component]);
      return {
        kind: 'component_unhealthy',
        cause: component,
        severity: components[component] === 'unhealthy' ? 'critical' : 'warning',
        title: TITLES[component],
        count: 1,
        firstAt: at,
        lastAt: at,
        subject: { type: 'component', id: component },
        samples: [],
      };
    });
  }
}
