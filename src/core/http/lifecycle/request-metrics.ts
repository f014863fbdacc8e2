import type { Metrics } from '../../observability/metrics.service';
import type { ResponseListener } from './on-response-sent';
import { routeOf } from './request-context';

/** Counts each answered request by its route, never by its path: a path may hold an id. */
export function requestMetrics(metrics: Metrics): ResponseListener {
  return {
    answered: (request, reply) =>
      metrics.requestAnswered(request.method, routeOf(request), reply.statusCode, reply.elapsedTime),
  };
}
