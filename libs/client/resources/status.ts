import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { DismissedProblem, Problem, ProblemListParams, Status as SystemStatus, StatusGetParams } from '../types';

export class Status {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** The status of the gateway, its parts and its integrations. */
  get(query?: StatusGetParams, options?: RequestOptions): GatewayPromise<SystemStatus> {
    return this.transport.call('get', '/api/v1/status', { query }, options);
  }
}

export class Problems {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Problems that need a person, grouped by cause, newest first. */
  list(query?: ProblemListParams, options?: RequestOptions): GatewayPromise<Problem[]> {
    return this.transport.call('get', '/api/v1/problems', { query }, options);
  }

  /** Hides a problem until it happens again. */
  dismiss(problemId: string, options?: RequestOptions): GatewayPromise<DismissedProblem> {
    const input = { path: { problem_id: problemId } };
    return this.transport.call('post', '/api/v1/problems/{problem_id}/dismiss', input, options);
  }
}
