import { setTimeout as delay } from 'node:timers/promises';
import { Client, escapeLiteral, type ClientConfig } from 'pg';
import { codeOf } from './errors';

/** Name of the database and of the role that owns it. */
export const DATABASE = 'gateway';

const POLL_MILLISECONDS = 15;

/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
export const INVALID_PASSWORD = '28P01';
const CANNOT_CONNECT_NOW = '57P03';
const INVALID_CATALOG_NAME = '3D000';
const DUPLICATE_OBJECT = '42710';
const NOT_YET = new Set([CANNOT_CONNECT_NOW, 'ECONNREFUSED', 'ECONNRESET']);

/**
 * Connects until the server accepts, which after a crash is when its recovery has ended, and makes the database if it is
 * missing. Returns early, without an error, when `signal` is aborted.
 */
export async function awaitDatabase(port: number, password: string, signal: AbortSignal): Promise<void> {
  const gateway: ClientConfig = { host: '127.0.0.1', port, password, user: DATABASE, database: DATABASE };
  while (!signal.aborted) {
    try {
      await using(gateway, async () => undefined);
      return;
    } catch (error) {
      const code = codeOf(error) ?? '';
      // The server answers a role that does not exist as it does a wrong password.
      if (code === INVALID_PASSWORD || code === INVALID_CATALOG_NAME) {
        await createDatabase({ ...gateway, user: 'postgres', database: 'postgres' });
        return;
      }
      if (!NOT_YET.has(code)) throw error;
      await delay(POLL_MILLISECONDS);
    }
  }
}

/** The role may not read the server's files or run programs, as a superuser may; it may make databases. */
async function createDatabase(superuser: ClientConfig): Promise<void> {
  await using(superuser, async (client) => {
    const password = escapeLiteral(superuser.password as string);
    try {
      await client.query(`CREATE ROLE ${DATABASE} LOGIN CREATEDB PASSWORD ${password}`);
    } catch (error) {
      // An earlier start was interrupted between the two statements.
      if (codeOf(error) !== DUPLICATE_OBJECT) throw error;
    }
    await client.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`);
  });
}

async function using(config: ClientConfig, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ ...config, connectionTimeoutMillis: 5_000 });
  // A connection that breaks while idle says so by an event; the work's own statement fails as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
