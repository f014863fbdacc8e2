import type { Metrics } from '../../observability/metrics.service';
import type { ResponseListener } from './on-response-sent';
import { routeOf, statusOf } from './request-context';

/** Counts each answered request by its route, never by its path: a path may hold an id. */
export function requestMetrics(metrics: Metrics): ResponseListener {
  return {
    answered: (request, reply) =>
      metrics.requestAnswered(request.method, routeOf(request), statusOf(request, reply), reply.elapsedTime),
  };
}
