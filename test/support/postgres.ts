import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { newUuid } from '#contracts';
import { EmbeddedPostgres } from '../../src/core/database/embedded-postgres/embedded-postgres';

/** A throw-away PostgreSQL server, with a database of its own for everybody who asks. */
export class TestPostgres {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly directory: string,
  ) {}

  static async start(): Promise<TestPostgres> {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-test-postgres-'));
    try {
      const server = await EmbeddedPostgres.start({ dataDir: directory, log: () => undefined });
      return new TestPostgres(server, directory);
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** @returns the URL of a new, empty database */
  async createDatabase(): Promise<string> {
    const name = `test_${newUuid().replaceAll('-', '')}`;
    await withClient(this.server.url, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = new URL(this.server.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Connections that are still open are cut: close pools first. */
  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

let shared: Promise<TestPostgres> | undefined;

/** The server of this spec file, started when the first test wants it; `stopSharedPostgres` ends it. */
export function sharedPostgres(): Promise<TestPostgres> {
  shared ??= TestPostgres.start();
  return shared;
}

export async function stopSharedPostgres(): Promise<void> {
  const stopping = shared;
  shared = undefined;
  await (await stopping)?.stop();
}

/** One connection, for what a test looks up or prepares by SQL. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  // A server that is stopped meanwhile says so by an event; the statement fails as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
