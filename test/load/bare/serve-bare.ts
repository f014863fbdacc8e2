import type { FastifyInstance } from 'fastify';

/**
 * Listens on a free port and says where; ends on SIGTERM, or with its parent.
 * @param prepare makes its tables
 * @param flush is called when it no longer listens
 */
export function serveBare(
  app: FastifyInstance,
  prepare: () => Promise<unknown>,
  flush: () => Promise<void> = () => Promise.resolve(),
): void {
  process.on('SIGTERM', () => {
    void app
      .close()
      .then(flush)
      .then(() => process.exit(0));
  });
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.exit(1), 1_000).unref();
  void prepare()
    .then(() => app.listen({ port: 0, host: '127.0.0.1' }))
    .then((url) => console.log(`API ${url}/api/v1`));
}
