import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually';
import { lastingPort } from './lasting-port';
import { makePassableFolder } from './passable-folder';
import { TcpProxy } from './tcp-proxy';
import { withClient } from './with-client';

/** PgBouncer refuses to run as root, so root starts it as `nobody`. */
const AS_NOBODY = process.getuid?.() === 0 ? ['--reuid=65534', '--regid=65534', '--clear-groups'] : [];

/** Few, so that the clients must share them. */
const SERVER_CONNECTIONS = 5;

/** A real PgBouncer in transaction mode, of the installed version. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    private readonly port: number,
    private readonly server: TcpProxy,
  ) {}

  /** @param url of any database of the server, with the password of its role */
  static async start(url: string): Promise<PgBouncer> {
    const { username, password } = new URL(url);
    const directory = await makePassableFolder('gateway-test-pgbouncer-');
    await chmod(directory, 0o755);
    const port = await lastingPort();
    // PgBouncer's user may not enter the folder of the embedded server's socket.
    const server = await new TcpProxy(url).open();
    writeFileSync(join(directory, 'users'), `"${username}" "${password}"\n`, { mode: 0o644 });
    writeFileSync(join(directory, 'pgbouncer.ini'), configurationOf(directory, port, server), { mode: 0o644 });
    const program = [PROGRAM, '--quiet', join(directory, 'pgbouncer.ini')];
    // The kernel kills PgBouncer when this process dies.
    const child = spawn('setpriv', [...AS_NOBODY, '--pdeathsig=KILL', '--', ...program], { stdio: 'ignore' });
    const pgBouncer = new PgBouncer(child, directory, port, server);
    await eventually('PgBouncer accepts connections', () =>
      withClient(pgBouncer.urlOf(url), (client) => client.query('SELECT 1')),
    );
    return pgBouncer;
  }

  /** @returns the URL of the same database through the pooler */
  urlOf(url: string): string {
    const pooled = new URL(url);
    pooled.host = `127.0.0.1:${this.port}`;
    return pooled.href;
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
    await this.server.cut();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** The PgBouncer on PATH, unless the variable names another. */
export const PROGRAM = process.env['TEST_PGBOUNCER_PROGRAM'] ?? 'pgbouncer';

/** Whether PgBouncer supports prepared statements in transaction mode: since 1.21. */
export function knowsPreparedStatements(): boolean {
  const said = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' }).stdout;
  const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(said)!.map(Number);
  return major > 1 || minor >= 21;
}

function configurationOf(directory: string, port: number, server: TcpProxy): string {
  return `
[databases]
* = host=127.0.0.1 port=${new URL(server.url).port} connect_query='SET statement_timeout = 15000; SET idle_in_transaction_session_timeout = 30000; SET jit = off'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(directory, 'users')}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 500
${knowsPreparedStatements() ? 'max_prepared_statements = 200' : ''}
`;
}

const poolers = new Map<string, Promise<PgBouncer>>();

/**
 * The database variables of a gateway: through a pooler in `npm test -- --selectProjects pgbouncer`, direct otherwise.
 * `stopPoolers` stops the poolers that it starts.
 */
export async function databaseVariables(url: string): Promise<NodeJS.ProcessEnv> {
  if (!process.env['TEST_PGBOUNCER']) return { DATABASE_URL: url };
  const { host } = new URL(url);
  if (!poolers.has(host)) poolers.set(host, PgBouncer.start(url));
  return {
    DATABASE_URL: (await poolers.get(host)!).urlOf(url),
    DATABASE_DIRECT_URL: url,
    DATABASE_PREPARED: String(knowsPreparedStatements()),
  };
}

export async function stopPoolers(): Promise<void> {
  const stopping = [...poolers.values()];
  poolers.clear();
  await Promise.all(stopping.map(async (pooler) => (await pooler).stop()));
}
