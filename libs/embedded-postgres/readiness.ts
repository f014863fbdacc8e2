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
/** A socket that is not there yet, or that a killed server left. */
const NO_SOCKET = ['ENOENT', 'ECONNREFUSED'];
const NOT_YET = new Set([CANNOT_CONNECT_NOW, 'ECONNRESET', ...NO_SOCKET]);

/**
 * Connects until the server accepts; after a crash it first recovers. Creates the role and its database if missing, and
 * ensures that the stored password does not open the superuser. Every start checks all of this: an interrupted start
 * does no harm, and a cluster of an earlier version is brought up to date.
 * Returns early, without an error, when `signal` is aborted.
 */
export async function awaitDatabase(socketFolder: string, password: string, signal: AbortSignal): Promise<void> {
  const gateway: ClientConfig = { host: socketFolder, port: 5432, password, user: DATABASE, database: DATABASE };
  const superuser: ClientConfig = { ...gateway, user: 'postgres', database: 'postgres' };
  while (!signal.aborted) {
    try {
      if (await using(gateway, superuserMayLogIn)) await closeSuperuser(superuser);
      return;
    } catch (error) {
      const code = codeOf(error) ?? '';
      // The server gives the same answer for a missing role as for a wrong password.
      if (code === INVALID_PASSWORD) await createRole(superuser);
      else if (code === INVALID_CATALOG_NAME)
        await using({ ...gateway, database: 'postgres' }, (client) => client.query(`CREATE DATABASE ${DATABASE}`));
      else if (NOT_YET.has(code)) await delay(POLL_MILLISECONDS);
      else throw error;
    }
  }
}

/** The role may not read the server's files or run programs, as a superuser may; it may make databases. */
async function createRole(superuser: ClientConfig): Promise<void> {
  const password = escapeLiteral(superuser.password as string);
  await using(superuser, (client) => client.query(`CREATE ROLE ${DATABASE} LOGIN CREATEDB PASSWORD ${password}`));
}

async function superuserMayLogIn(client: Client): Promise<boolean> {
  const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = 'postgres' AND rolcanlogin");
  return rowCount === 1;
}

/** initdb gave the superuser the stored password. Single-user mode still works as this role when it may not log in. */
async function closeSuperuser(superuser: ClientConfig): Promise<void> {
  try {
    await using(superuser, (client) => client.query('ALTER ROLE postgres NOLOGIN PASSWORD NULL'));
  } catch (error) {
    // An operator gave the superuser another password, which is as safe.
    if (codeOf(error) !== INVALID_PASSWORD) throw error;
  }
}

/** Whether the server takes a connection with this address. */
export async function accepts(connectionString: string): Promise<boolean> {
  try {
    return await using({ connectionString }, () => Promise.resolve(true));
  } catch {
    return false;
  }
}

async function using<T>(config: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...config, connectionTimeoutMillis: 5_000 });
  // A connection that breaks while idle says so by an event; the work's own statement fails as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
