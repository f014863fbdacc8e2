import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isApi, toCredentials } from '../core/http/lifecycle/request-context';

/** Notes the credentials of every request: the audit trail also records unknown keys and routes. */
export function installCredentials(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const text = isApi(request) ? presentedText(request) : undefined;
    if (text !== undefined) request.gateway.credentials = toCredentials(text);
    done();
  });
}

/** The header takes precedence over the query; a malformed header never falls back to the query. */
function presentedText(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  const query = request.query as { api_key?: unknown };
  const fromQuery = query.api_key;
  // The parameter is not the handler's: validation would refuse it as unknown, and logs would show it.
  delete query.api_key;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return typeof fromQuery === 'string' ? fromQuery : undefined;
}
