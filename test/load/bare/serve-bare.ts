import type { FastifyInstance } from 'fastify';

/**
 * Listens on a free port and prints its URL. Ends on SIGTERM or when its parent ends.
 * @param prepare creates the tables
 * @param flush called after the server has stopped listening
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
