import type { FastifyInstance } from 'fastify';
import type { Tracer } from '../observability/tracing/tracer';
import { runIn } from '../observability/tracing/work-context';
import type { ResponseListener } from './lifecycle/on-response-sent';
import { routeOf, statusOf } from './lifecycle/request-context';

/** Requests of monitors are many and show nothing of use. */
const UNTRACED = /^\/(?:health|metrics|docs|dashboard)\b/;

/**
 * Adds the request's id to the log lines of everything that the request causes, and makes its spans children of the request's
 * span, whose own parent is the client's (`traceparent`). Call it after the hook that begins requests.
 */
export function traceRequests(fastify: FastifyInstance, tracer: Tracer): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { gateway, method, headers } = request;
    const route = routeOf(request);
    const ids = { request_id: gateway.publicId };
    if (!tracer.isOn || UNTRACED.test(route ?? '')) return runIn({ ids }, done);
    const { traceparent } = headers;
    gateway.span = tracer.start(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : null,
      attributes: { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) },
      ids,
    });
    runIn(gateway.span.context, done);
  });
}

export const requestSpans: ResponseListener = {
  answered: (request, reply) => {
    const { span } = request.gateway;
    if (!span) return;
    const status = statusOf(request, reply);
    span.set({ 'http.response.status_code': status });
    if (status >= 500) span.fail(String(status));
    span.end();
  },
};
