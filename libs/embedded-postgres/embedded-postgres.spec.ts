import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { AS_ROOT, rootMayMount } from '../../test/support/root';
import { DataDirectoryInUseError, EmbeddedPostgresError } from './errors';
import { EmbeddedPostgres } from './embedded-postgres';

/** Compiles like the tests themselves do, so that a child process runs the sources and not an old build. */
const RUN_FIXTURE = `
const { transformFileSync } = require(${JSON.stringify(createRequire(__filename).resolve('@swc/core'))});
require.extensions['.ts'] = (module, file) => module._compile(transformFileSync(file).code, file);
require(${JSON.stringify(join(__dirname, '../../test/support/embedded-postgres-owner.ts'))});
`;

/** A separate process that owns an embedded PostgreSQL, see embedded-postgres-owner.ts. */
class Owner {
  readonly line: Promise<string>;
  readonly exited: Promise<unknown>;
  private readonly child: ChildProcess;

  constructor(dataDir: string, prefix: readonly string[] = []) {
    const [file, ...args] = [...prefix, process.execPath, '--eval', RUN_FIXTURE, '--', 'owner', dataDir];
    // Its own process group, so that a test can signal it as a terminal does.
    this.child = spawn(file, args, {
      cwd: join(__dirname, '../..'),
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    this.line = once(createInterface({ input: this.child.stdout! }), 'line').then(([line]) => String(line));
    this.exited = once(this.child, 'exit');
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.child.pid!, signal);
  }

  async stop(): Promise<void> {
    this.child.stdin?.write('stop\n');
    await this.exited;
  }
}

describe(EmbeddedPostgres.name, () => {
  let template: string;
  let directory: string;
  let dataDir: string;
  const started: (EmbeddedPostgres | Owner)[] = [];
  let reports: string[];

  beforeAll(async () => {
    template = mkdtempSync(join(tmpdir(), 'embedded-postgres-template-'));
    chmodSync(template, 0o755);
    await (await EmbeddedPostgres.start({ dataDir: template, log: () => undefined })).stop();
  });
  afterAll(() => rmSync(template, { recursive: true }));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
    chmodSync(directory, 0o755);
    dataDir = join(directory, 'data');
    reports = [];
  });

  afterEach(async () => {
    for (const one of started.splice(0)) await (one instanceof Owner ? one.kill() : one.stop());
    await nothingRuns();
    chmodSync(directory, 0o755);
    rmSync(directory, { recursive: true });
  });

  async function start(): Promise<EmbeddedPostgres> {
    const postgres = await EmbeddedPostgres.start({ dataDir, log: (line) => reports.push(line) });
    started.push(postgres);
    return postgres;
  }

  function own(prefix?: readonly string[]): Owner {
    const owner = new Owner(dataDir, prefix);
    started.push(owner);
    return owner;
  }

  /** Spares a test the first start, which takes a second. */
  function copyTemplate(): void {
    cpSync(template, dataDir, { recursive: true });
  }

  /** The server, its guard and initdb all have the data directory among their arguments. */
  async function processes(): Promise<string[]> {
    const { stdout } = await promisify(execFile)('ps', ['-eww', '-o', 'pid=,args=']);
    return stdout.split('\n').filter((line) => line.includes(directory) && !line.includes('--eval'));
  }

  async function guardPid(): Promise<number> {
    return Number.parseInt(
      (await processes()).find((line) => line.includes('sign_of_life='))!,
      10,
    );
  }

  /** Undefined if no server has written its pid yet. */
  function serverPid(): number | undefined {
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
  }

  async function nothingRuns(): Promise<void> {
    await until(async () => (await processes()).length === 0);
  }

  it('creates the database on the first start, and keeps its data', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE note (text text); INSERT INTO note VALUES ($$kept$$)');
    await first.stop();
    // The guard learns of the server's end, and ends a moment later.
    await nothingRuns();

    const second = await start();
    expect(await query(second.url, 'SELECT text FROM note')).toEqual([{ text: 'kept' }]);
  });

  it('is durable, uses UTF-8, and rejects a client without the password', async () => {
    copyTemplate();
    const { url } = await start();
    const [row] = await query(
      url,
      `SELECT current_setting('fsync') fsync, current_setting('synchronous_commit') commit, current_setting('data_checksums') checksums,
              pg_encoding_to_char(encoding) encoding, upper('ä') upper, rolsuper super
       FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user`,
    );
    expect(row).toEqual({ fsync: 'on', commit: 'on', checksums: 'on', encoding: 'UTF8', upper: 'Ä', super: false });
    await expect(query(url.replace(new URL(url).password, 'guess'), 'SELECT 1')).rejects.toMatchObject({
      code: '28P01',
    });
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    expect((await processes()).join('\n')).not.toContain(new URL(url).password);
  });

  it('opens no port, and closes the folder of its socket to other users', async () => {
    copyTemplate();
    const { url } = await start();
    expect(await query(url, `SELECT current_setting('listen_addresses') AS addresses`)).toEqual([{ addresses: '' }]);
    const folder = decodeURIComponent(new URL(url).hostname);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toContain('.s.PGSQL.5432');
  });

  it('is reached through a short link when the path of the data directory is too long for a socket', async () => {
    dataDir = join(directory, 'd'.repeat(120), 'data');
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o711);
    copyTemplate();
    const postgres = await start();
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const way = decodeURIComponent(new URL(postgres.url).hostname);
    expect(way.length).toBeLessThan(80);
    expect(statSync(join(way, '..')).mode & 0o777).toBe(0o700);
    await postgres.stop();
    expect(existsSync(join(way, '..'))).toBe(false);
  });

  it('survives kill -9 of its owner, and leaves nothing running', async () => {
    copyTemplate();
    const owner = own();
    const url = await owner.line;
    await query(url, 'CREATE TABLE note (text text); INSERT INTO note VALUES ($$committed$$)');
    await owner.kill();
    await nothingRuns();
    expect(await query((await start()).url, 'SELECT text FROM note')).toEqual([{ text: 'committed' }]);
  });

  it('starts at once after kill -9, while the old server is still shutting down', async () => {
    copyTemplate();
    for (let round = 0; round < 5; round++) {
      const owner = own();
      expect(await owner.line).toMatch(/^postgres:/);
      await owner.kill();
    }
    expect(await query((await start()).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('recovers when owner, guard and server were all killed', async () => {
    copyTemplate();
    const owner = own();
    await query(await owner.line, 'CREATE TABLE note (text text); INSERT INTO note VALUES ($$committed$$)');
    // A stopped guard cannot act; the kernel kills it all the same.
    const pids = (await processes()).map((line) => Number.parseInt(line, 10));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await owner.kill();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    expect(await query((await start()).url, 'SELECT text FROM note')).toEqual([{ text: 'committed' }]);
  });

  it('shuts down an abandoned server whose guard process is gone', async () => {
    copyTemplate();
    const owner = own();
    await owner.line;
    process.kill(await guardPid(), 'SIGKILL');
    await owner.kill();
    expect(await query((await start()).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts although the pid in the pid file belongs to another process', async () => {
    copyTemplate();
    await (await start()).stop();
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.ppid}\n${join(dataDir, 'postgres')}\n1\n`);
    expect(await query((await start()).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('creates the cluster again when initdb was interrupted', async () => {
    const owner = own();
    await until(
      async () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.init-')),
    );
    await owner.kill();
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    expect(await query((await start()).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(readdirSync(dataDir).filter((name) => name.includes('init'))).toEqual([]);
  });

  it('refuses to start a second process on the same directory, with one clear line', async () => {
    copyTemplate();
    await start();
    const began = performance.now();
    const line = await own().line;
    expect(line).toMatch(
      /^DataDirectoryInUseError: The data directory .*\/data is in use by another running gateway\. /,
    );
    expect(performance.now() - began).toBeLessThan(15_000);
    await expect(EmbeddedPostgres.start({ dataDir, log: () => undefined })).rejects.toThrow(DataDirectoryInUseError);
  });

  it('accepts exactly one of several processes that start at the same moment', async () => {
    copyTemplate();
    const lines = await Promise.all(Array.from({ length: 4 }, async () => own().line));
    expect(lines.filter((line) => line.startsWith('postgres:'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('DataDirectoryInUseError:'))).toHaveLength(3);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'outlives %s to the process group until its owner stops it',
    async (signal) => {
      copyTemplate();
      rmSync(join(dataDir, 'postgres.log')); // the template's shutdown is in it
      const owner = own();
      const url = await owner.line;
      owner.signalGroup(signal);
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await owner.stop();
      await nothingRuns();
      expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('database system is shut down');
    },
  );

  it.each([
    ['SIGKILL', 'SIGKILL'],
    ['SIGINT', 'exit code 0'],
  ] as const)('restarts a server that was ended by %s, with all committed data, and logs it', async (signal, words) => {
    copyTemplate();
    const { url } = await start();
    await query(url, 'CREATE TABLE note (text text); INSERT INTO note VALUES ($$committed$$)');
    process.kill(serverPid()!, signal);
    await until(async () => reports.length > 0);
    expect(reports[0]).toBe(`The embedded PostgreSQL stopped (${words}); restarting it`);
    await until(async () => reports.includes('The embedded PostgreSQL is running again'));
    expect(await query(url, 'SELECT text FROM note')).toEqual([{ text: 'committed' }]);
  });

  it('keeps trying to restart a server that does not start, and logs why', async () => {
    copyTemplate();
    const { url } = await start();
    const version = join(dataDir, 'postgres', 'PG_VERSION');
    const right = readFileSync(version);
    writeFileSync(version, '9\n');
    process.kill(serverPid()!, 'SIGKILL');
    await until(async () => reports.some((line) => / version 9,.*; retrying in 2 s$/.test(line)));
    writeFileSync(version, right);
    await until(async () => reports.includes('The embedded PostgreSQL is running again'));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('does not restart a stopped server, even if it was waiting to', async () => {
    copyTemplate();
    const postgres = await start();
    await Promise.all([postgres.stop(), postgres.stop()]);
    expect(reports).toEqual([]);

    const again = await start();
    process.kill(serverPid()!, 'SIGKILL');
    await until(async () => reports.length > 0);
    await again.stop();
    await nothingRuns();
    expect(reports).toHaveLength(1);
    await start();
  });

  it('can be stopped while it restarts a server', async () => {
    copyTemplate();
    const postgres = await start();
    const killed = serverPid()!;
    process.kill(killed, 'SIGKILL');
    await until(async () => ![killed, undefined].includes(serverPid()));
    await postgres.stop();
    await nothingRuns();
    await start();
  });

  it('reports what is wrong with the password file', async () => {
    copyTemplate();
    const password = join(dataDir, 'postgres-password');
    await (await start()).stop();
    writeFileSync(password, 'another');
    await expect(start()).rejects.toThrow(/postgres-password is not the password of the database in .*\/postgres$/);
    rmSync(password);
    await expect(start()).rejects.toThrow(EmbeddedPostgresError);
    await expect(start()).rejects.toThrow(/postgres-password is missing: restore it/);
  });

  it('reports why the server does not start', async () => {
    copyTemplate();
    await (await start()).stop();
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toThrow(
      /did not start: FATAL: database files are incompatible with server · DETAIL: .* version 9,/,
    );
  });

  it('refuses a directory with other content', async () => {
    mkdirSync(join(dataDir, 'postgres', 'photos'), { recursive: true });
    await expect(start()).rejects.toThrow(/holds no PostgreSQL cluster: move it away/);
    expect(statSync(join(dataDir, 'postgres', 'photos')).uid).toBe(process.getuid?.());
  });

  it('names the folder that blocks the start, and how to fix it', async () => {
    // For a normal user: a folder that is not writable. For root: a folder that is closed to the system user, while mounts
    // are refused, as in most containers.
    chmodSync(directory, AS_ROOT ? 0o700 : 0o500);
    const line = await own(AS_ROOT ? ['setpriv', '--bounding-set=-sys_admin', '--'] : []).line;
    expect(line).toMatch(/^EmbeddedPostgresError: .*set DATA_DIR to a (?:directory|folder) that /);
    expect(line).toContain(AS_ROOT ? `"${directory}"` : dataDir);
  });

  const describeClosed = !AS_ROOT || rootMayMount() ? describe : describe.skip;
  describeClosed('in a closed home directory', () => {
    it('works from the first start on, and after kill -9 of both owner and guard', async () => {
      chmodSync(directory, 0o700);
      const owner = own();
      await query(await owner.line, 'CREATE TABLE note (text text); INSERT INTO note VALUES ($$committed$$)');
      process.kill(await guardPid(), 'SIGKILL');
      await owner.kill();
      expect(await query((await start()).url, 'SELECT text FROM note')).toEqual([{ text: 'committed' }]);
    });
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function until(fact: () => Promise<boolean>): Promise<void> {
  while (!(await fact())) await delay(5);
}
