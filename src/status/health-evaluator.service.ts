import { Injectable } from '@nestjs/common';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Outage } from '../core/database/outage.service';
import { ComponentHealth, type Components, type Health } from './component-health.service';

/**
 * A change that no answer has shown counts only after this many equal checks: during a start, connections open one after
 * the other.
 */
const STEADY = 2;

export interface HealthEvaluation {
  status: Health;
  components: Components;
  /** When the status was first seen, in Unix milliseconds. */
  at: number;
}

/** Since when each part has its present health, in Unix milliseconds, as far as this instance knows. */
type Since = Readonly<Record<keyof Components, number>>;

interface State {
  current?: HealthEvaluation & { since: Since };
  /** Seen by checks, but neither steady nor shown by an answer yet. */
  next?: HealthEvaluation;
  times: number;
  /** Evaluations that no event has reported yet, oldest first. */
  unreported: HealthEvaluation[];
}

/**
 * The common evaluation of `GET /status` and `system.health`: an answer shows it, and an event reports each status that was
 * steady or that an answer showed.
 */
@Injectable()
export class HealthEvaluator {
  private readonly states = Object.fromEntries(
    ENVIRONMENTS.map((environment): [Environment, State] => [environment, { times: 0, unreported: [] }]),
  ) as Record<Environment, State>;

  constructor(
    private readonly health: ComponentHealth,
    private readonly outage: Outage,
    private readonly clock: Clock,
  ) {}

  /**
   * Evaluates for a response.
   * @param databaseFailed whether the answer's own query failed
   */
  async read(environment: Environment, databaseFailed = false): Promise<HealthEvaluation & { since: Since }> {
    const answers = !databaseFailed && (await this.health.databaseAnswers());
    return this.accept(this.states[environment], this.evaluate(environment, answers));
  }

  /** Evaluates for the watch without asking the database: `Outage` knows whether it answers. */
  check(environment: Environment): void {
    const state = this.states[environment];
    const seen = this.evaluate(environment, !this.outage.present);
    if (seen.status === state.current?.status) {
      this.accept(state, seen);
      return;
    }
    state.times = seen.status === state.next?.status ? state.times + 1 : 1;
    state.next = state.times === 1 ? seen : { ...seen, at: state.next!.at };
    if (state.times >= STEADY) this.accept(state, state.next);
  }

  current(environment: Environment): HealthEvaluation | undefined {
    return this.states[environment].current;
  }

  /** Evaluations that no event has reported yet; the caller removes those that it reports. */
  unreported(environment: Environment): HealthEvaluation[] {
    return this.states[environment].unreported;
  }

  private evaluate(environment: Environment, databaseAnswers: boolean): HealthEvaluation {
    const components = this.health.components(environment, databaseAnswers);
    return { status: this.health.overall(environment, components), components, at: this.clock.now() };
  }

  private accept(state: State, seen: HealthEvaluation): HealthEvaluation & { since: Since } {
    if (seen.status !== state.current?.status) state.unreported.push(seen);
    state.current = { ...seen, since: sinceOf(seen, state.current) };
    state.next = undefined;
    state.times = 0;
    return state.current;
  }
}

function sinceOf({ components, at }: HealthEvaluation, before: State['current']): Since {
  const names = Object.keys(components) as (keyof Components)[];
  const times = names.map((name) => [name, components[name] === before?.components[name] ? before.since[name] : at]);
  return Object.fromEntries(times) as Since;
}
