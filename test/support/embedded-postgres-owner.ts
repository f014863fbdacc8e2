import { once } from 'node:events';
import { EmbeddedPostgres } from '../../libs/embedded-postgres/embedded-postgres';

/**
 * A process that owns an embedded PostgreSQL: `embedded-postgres-owner.ts <data directory>`. It prints the URL when the database is
 * ready, or the error's name and message. It ignores signals, like a server that drains, and stops the
 * database when it reads a line.
 */
async function own(dataDir: string): Promise<void> {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  try {
    const postgres = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
    process.stdout.write(`${postgres.url}\n`);
    await once(process.stdin, 'data');
    await postgres.stop();
  } catch (error) {
    process.stdout.write(`${String(error)}\n`);
    process.exitCode = 1;
  }
  process.stdin.destroy();
}

void own(process.argv[2] ?? '');
