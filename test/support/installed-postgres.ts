import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually';
import { lastingPort } from './lasting-port';
import { withClient } from './with-client';

const run = promisify(execFile);

const NAME = 'gateway';
/** PostgreSQL refuses to run as root; its packages create this user. */
const ACCOUNT = 'postgres';
const AS_ACCOUNT = process.getuid?.() === 0 ? [`--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, '--clear-groups'] : [];

const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100'];
/** No test keeps its data, and parallel spec files share the disk. */
const NOT_DURABLE = ['fsync=off'];

/** A throw-away server that runs the programs of a distribution's package. It leaves the package's own cluster alone. */
export class InstalledPostgres {
  private constructor(
    private readonly server: ChildProcess,
    private readonly exited: Promise<unknown>,
    readonly url: string,
  ) {}

  /**
   * Starts the server on the data in `dataDir`, and creates the data if there is none.
   * @param programs the folder of `initdb` and `postgres`
   * @param further settings of the server, `name=value`; by default the data may be lost when the machine crashes
   * @throws with the server's output, if it ends before it accepts connections
   */
  static async start(dataDir: string, programs: string, further = NOT_DURABLE): Promise<InstalledPostgres> {
    const cluster = join(dataDir, 'postgres');
    const isNew = !existsSync(cluster);
    const password = isNew ? await makeCluster(dataDir, programs) : readFileSync(passwordFile(dataDir), 'utf8');
    // A copied cluster belongs to the user who copied it, and PostgreSQL refuses its permissive mode.
    await chmod(cluster, 0o700);
    await giveToAccount(dataDir);
    const port = await lastingPort();
    const settings = [...SETTINGS, ...further, `port=${port}`].flatMap((setting) => ['-c', setting]);
    const [file, args] = asAccount([join(programs, 'postgres'), '-D', cluster, ...settings]);
    const server = spawn(file, args, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    server.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    let hasEnded = false;
    const exited = once(server, 'exit').then(() => (hasEnded = true));
    const url = (role: string) => `postgres://${role}:${password}@127.0.0.1:${port}/${role}`;
    const role = isNew ? 'postgres' : NAME;
    const accepts = async () => {
      if (!hasEnded) await withClient(url(role), (client) => client.query('SELECT 1'));
    };
    await eventually('PostgreSQL accepts connections', accepts, { timeoutMs: 30_000 });
    if (hasEnded) throw new Error(`PostgreSQL ended before it accepted connections:\n${output}`);
    if (isNew) {
      await withClient(url(role), async (client) => {
        await client.query(`CREATE ROLE ${NAME} LOGIN CREATEDB PASSWORD '${password}'`);
        await client.query(`CREATE DATABASE ${NAME} OWNER ${NAME}`);
      });
    }
    return new InstalledPostgres(server, exited, url(NAME));
  }

  async stop(): Promise<void> {
    this.server.kill('SIGINT');
    await this.exited;
  }
}

/** @returns the password of its roles */
async function makeCluster(dataDir: string, programs: string): Promise<string> {
  const password = randomBytes(24).toString('hex');
  writeFileSync(passwordFile(dataDir), password, { mode: 0o600 });
  await giveToAccount(dataDir);
  const [file, args] = asAccount([
    join(programs, 'initdb'),
    `--pgdata=${join(dataDir, 'postgres')}`,
    `--pwfile=${passwordFile(dataDir)}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Text sorts by language, as on most servers. The embedded server sorts by bytes.
    '--locale-provider=icu',
    '--icu-locale=en-US',
    '--locale=C.UTF-8',
    '--no-sync',
  ]);
  await run(file, args, { cwd: '/' });
  return password;
}

async function giveToAccount(path: string): Promise<void> {
  if (AS_ACCOUNT.length > 0) await run('chown', ['-R', `${ACCOUNT}:`, path]);
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres-password');
}

/** When the process that started the server dies, the kernel sends the server SIGQUIT: an immediate shutdown. */
function asAccount(command: string[]): [file: string, args: string[]] {
  return ['setpriv', [...AS_ACCOUNT, '--pdeathsig=QUIT', '--', ...command]];
}
