import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { makePassableFolder } from '../../test/support/passable-folder';
import { copyTemplate, MIGRATED } from '../../test/support/postgres-template';
import { rootMayMount } from '../../test/support/root';
import { locateBinaries } from './binaries';
import { placesIn, type ClusterPlaces } from './cluster';
import { EmbeddedPostgres } from './embedded-postgres';
import { runAs } from './run-as';
import { chooseAccount } from './server-account';

const UNREADABLE = /Permission denied|No such file/;

describe('the rights of the embedded PostgreSQL', () => {
  let directory: string;
  let places: ClusterPlaces;
  let running: EmbeddedPostgres | undefined;

  beforeEach(async () => {
    directory = await makePassableFolder('embedded-postgres-rights-');
    places = placesIn(join(directory, 'data'));
    await copyTemplate(places.dataDir);
    // Other users may read a copy, so single-user mode refuses it.
    chmodSync(places.cluster, 0o700);
  });
  afterEach(async () => {
    await stop();
    rmSync(directory, { recursive: true });
  });

  async function start(): Promise<EmbeddedPostgres> {
    running = await EmbeddedPostgres.start({ dataDir: places.dataDir, log: () => undefined });
    return running;
  }

  async function stop(): Promise<void> {
    await running?.stop();
    running = undefined;
  }

  /** As the superuser, while no server runs: https://www.postgresql.org/docs/18/app-postgres.html#APP-POSTGRES-SINGLE-USER */
  function singleUser(...statements: string[]): void {
    const binaries = locateBinaries();
    const account = chooseAccount({ ...places, binaries });
    const command = [binaries.postgres, '--single', '-j', '-D', places.cluster, 'postgres'];
    const { file, args, options } = runAs(account, command, places.cluster);
    const input = statements.map((statement) => `${statement};\n\n`).join('');
    const { status, stderr } = spawnSync(file, args, { ...options, input, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringMatching(/ERROR|FATAL/) });
  }

  const serverPid = () => Number.parseInt(readFileSync(places.pidFile, 'utf8'), 10);
  const storedPassword = () => readFileSync(places.passwordFile, 'utf8').trim();
  const superuserUrl = ({ url }: EmbeddedPostgres, password: string) =>
    `postgres://postgres:${password}@${new URL(url).hostname}/postgres`;

  describe('its roles', () => {
    it('reject the stored password for the superuser, and give the application no superuser rights', async () => {
      const postgres = await start();
      await expect(query(superuserUrl(postgres, storedPassword()), 'SELECT 1')).rejects.toMatchObject({
        code: '28P01',
      });
      for (const attempt of ['ALTER ROLE gateway SUPERUSER', 'SET ROLE postgres', 'ALTER ROLE postgres LOGIN'])
        await expect(query(postgres.url, attempt)).rejects.toMatchObject({ code: '42501' });
    });

    it('reject the stored password for the superuser also in a cluster that an earlier version created', async () => {
      singleUser(`ALTER ROLE postgres LOGIN PASSWORD '${storedPassword()}'`);
      const postgres = await start();
      await expect(query(superuserUrl(postgres, storedPassword()), 'SELECT 1')).rejects.toMatchObject({
        code: '28P01',
      });
      await stop();
      expect(await query((await start()).url, 'SELECT current_user AS me')).toEqual([{ me: 'gateway' }]);
    });

    it.each([
      ['before it made the role', ['DROP DATABASE gateway', `DROP DATABASE ${MIGRATED}`, 'DROP ROLE gateway']],
      ['before it made the database', ['DROP DATABASE gateway']],
    ])('are the same after a first start that ended %s', async (_, undo) => {
      singleUser(`ALTER ROLE postgres LOGIN PASSWORD '${storedPassword()}'`, ...undo);
      const postgres = await start();
      expect(
        await query(
          postgres.url,
          `SELECT rolsuper, rolcreatedb, pg_get_userbyid(datdba) AS owner
           FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
        ),
      ).toEqual([{ rolsuper: false, rolcreatedb: true, owner: 'gateway' }]);
      await expect(query(superuserUrl(postgres, storedPassword()), 'SELECT 1')).rejects.toMatchObject({
        code: '28P01',
      });
    });

    it('accept the password that an operator gave the superuser', async () => {
      singleUser(`ALTER ROLE postgres LOGIN PASSWORD 'of the operator'`);
      const postgres = await start();
      expect(await query(superuserUrl(postgres, 'of%20the%20operator'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });
  });

  it('do not let a superuser of the database read /etc/shadow', async () => {
    singleUser('ALTER ROLE gateway SUPERUSER');
    await expect(query((await start()).url, `SELECT pg_read_file('/etc/shadow')`)).rejects.toThrow(UNREADABLE);
  });

  const describeWithMounts = rootMayMount() ? describe : describe.skip;
  describeWithMounts('in a folder that is closed to all but root', () => {
    it("let a superuser of the database read the server's own files alone", async () => {
      const secret = join(directory, 'secret');
      writeFileSync(secret, 'of root, in a closed folder', { mode: 0o644 });
      singleUser('ALTER ROLE gateway SUPERUSER');
      chmodSync(directory, 0o700);
      const { url } = await start();
      for (const file of ['/etc/shadow', secret, places.passwordFile, places.logFile])
        await expect(query(url, `SELECT pg_read_file('${file}')`)).rejects.toThrow(UNREADABLE);
      expect(await query(url, `SELECT trim(pg_read_file('PG_VERSION'), E'\\n') AS version`)).toEqual([
        { version: '18' },
      ]);
      expect(await query(url, `SELECT count(*) > 100 AS zones FROM pg_timezone_names`)).toEqual([{ zones: true }]);
    });

    it('include no Linux capability, and cannot gain one', async () => {
      chmodSync(directory, 0o700);
      await start();
      const status = readFileSync(`/proc/${serverPid()}/status`, 'utf8');
      const { uid } = statSync(places.cluster);
      expect(uid).not.toBe(0);
      expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'));
      expect(status).toMatch(/^Groups:\s*$/m);
      for (const set of ['CapPrm', 'CapEff', 'CapInh', 'CapAmb'])
        expect(status).toMatch(new RegExp(`^${set}:\\t0{16}$`, 'm'));
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    });

    it('add no mount that other processes can see', async () => {
      chmodSync(directory, 0o700);
      await start();
      expect(readFileSync(`/proc/${serverPid()}/mountinfo`, 'utf8')).toContain(places.cluster);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(directory);
    });

    it('suffice for programs that root installed under a umask of 077', () => {
      const programs = join(directory, 'programs');
      cpSync(locateBinaries().directory, programs, { recursive: true, verbatimSymlinks: true });
      execFileSync('chmod', ['-R', 'go=', programs]);
      const postgres = join(programs, 'bin/postgres');
      const libraries = join(programs, 'lib/postgresql');
      const binaries = { directory: programs, libraries, postgres, initdb: join(programs, 'bin/initdb') };
      const { file, args, options } = runAs(chooseAccount({ ...places, binaries }), [postgres, '--version']);
      expect(execFileSync(file, args, { ...options, encoding: 'utf8' })).toMatch(/^postgres \(PostgreSQL\) 18/);
    });
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
