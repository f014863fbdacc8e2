import type { FastifyInstance } from 'fastify';

/** Fails the start when a route under /api declares no scope. Call before any route is registered. */
export function denyByDefault(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (!url.startsWith('/api')) return;
    if (config?.access === undefined || config.access === 'public') {
      throw new Error(`${String(method)} ${url} declares no scope: add @RequireScope(…) to its handler`);
    }
  });
}
