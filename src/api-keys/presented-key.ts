import type { FastifyRequest } from 'fastify';

/**
 * The key that a request presents, undefined when none is there or its form is wrong. The header wins over the query; a
 * malformed header never falls back to it.
 */
export function presentedKey(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  const query = request.query as { api_key?: unknown };
  const fromQuery = query.api_key;
  // The parameter is ours, not the handler's: validation must not find it unknown, nothing must log it.
  delete query.api_key;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return typeof fromQuery === 'string' ? fromQuery : undefined;
}
