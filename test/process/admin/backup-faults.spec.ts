import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileSource } from '../../../src/operations/backups/archive/backup-source';
import { readBackup } from '../../../src/operations/backups/archive/backup-reader';
import type { BackupDto } from '../../../src/operations/backups/backup.dto';
import { eventually } from '../../support/eventually';
import { startTestGateway } from '../../support/gateway';
import { runCommand, startCommand } from '../../support/command';
import { fillDatabase, killBackups } from '../../support/kill-backups';
import { ObjectStorage } from '../../support/object-storage';
import { sharedPostgres, TestPostgres, withClient } from '../../support/postgres';

jest.setTimeout(180_000);

/** A backup gives way to whatever else the machine does. */
const PATIENT = { timeoutMs: 60_000 };

/** Seed of mulberry32, so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns the id of the process that makes a backup for this one */
async function backupProcess(): Promise<number> {
  const children = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ');
  for (const child of children) {
    if ((await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('backup-process')) return Number(child);
  }
  throw new Error('No backup is made');
}

/** The files of a folder, except the one that holds its id. */
async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'this-folder.id');
}

describe('a backup', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-backups-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('whose process is killed leaves nothing that looks complete, and the next one works', async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await fillDatabase(databaseUrl, 40_000);
    const kills = Number(process.env['BACKUP_KILLS'] ?? 3);
    const unfinished = await killBackups({ databaseUrl, directory, kills, random: randomOf(7) });
    expect(unfinished).toBeGreaterThan(0);
  });

  it('whose process died is marked as failed by the periodic job, with its event, without a new backup', async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await fillDatabase(databaseUrl, 40_000);
    const killed = startCommand(
      { DATABASE_URL: databaseUrl, DATA_DIR: directory, BACKUP_DIR: directory },
      'backup',
      'create',
    );
    const partial = (name: string) => name.endsWith('.partial');
    await eventually('it writes', async () => expect((await filesIn(directory)).some(partial)).toBe(true), {
      everyMs: 2,
    });
    killed.kill('SIGKILL');
    await new Promise((resolve) => killed.once('close', resolve));

    const gateway = await startTestGateway({ databaseUrl, env: { BACKUP_DIR: directory } });
    const list = async () => (await gateway.api<BackupDto[]>('GET', '/admin/backups')).body.data;
    const [died] = await eventually('it has failed', async () => {
      const all = await list();
      expect(all.map(({ status }) => status)).toEqual(['failed']);
      return all;
    });
    const error = 'The backup process ended before the backup was complete';
    expect(died).toMatchObject({ trigger: 'cli', error, finished_at: expect.any(String) as string });
    const events = await gateway.sql<{ data: object }>(
      `SELECT body::json -> 'data' AS data FROM events WHERE type LIKE 'backup.%'`,
    );
    expect(events.map(({ data }) => data)).toEqual([{ environment: 'live', backup_id: died!.id, error }]);
  });

  it('is copied to object storage, byte for byte, and removed there when it is rotated', async () => {
    const storage = await ObjectStorage.start(join(directory, 's3'));
    try {
      const files = join(directory, 'files');
      const env = {
        DATABASE_URL: await (await sharedPostgres()).createDatabase(),
        DATA_DIR: directory,
        BACKUP_DIR: files,
        BACKUP_KEEP: '1',
        BACKUP_S3_URL: storage.url,
      };
      expect(await runCommand(env, 'backup', 'create')).toMatchObject({ code: 0 });
      const [file] = await filesIn(files);
      const [object] = await storage.objects();
      const stored = await readFile(object!);
      expect(stored.equals(await readFile(join(files, file!)))).toBe(true);
      // The storage is listed without a database, and a backup is restored from it.
      const without = { DATA_DIR: join(directory, 'nothing'), BACKUP_DIR: join(directory, 'nothing') };
      for (const from of [storage.url, files]) {
        const listed = await runCommand(without, 'backup', 'list', '--from', from, '--json');
        expect(listed).toMatchObject({ code: 0, stderr: '' });
        expect(JSON.parse(listed.stdout)).toEqual([
          {
            id: expect.stringMatching(/^bak_/) as string,
            created_at: expect.stringMatching(/^20.*Z$/) as string,
            encrypted: false,
            file,
            size_bytes: stored.length,
          },
        ]);
      }
      const empty = { ...env, DATABASE_URL: await (await sharedPostgres()).createEmptyDatabase() };
      expect(await runCommand(empty, 'backup', 'restore', `${storage.url}/${file}`)).toMatchObject({
        code: 0,
        stderr: '',
      });
      const missing = await runCommand(env, 'backup', 'verify', `${storage.url}/${file!.replace('20', '21')}`);
      expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/ is missing\n$/) as string });
      expect(missing.stderr).not.toContain('S3RVER');
      const second = await runCommand(env, 'backup', 'create', '--json');
      expect(await storage.objects()).toEqual([expect.stringContaining((JSON.parse(second.stdout) as BackupDto).id)]);
    } finally {
      await storage.stop();
    }
  });

  it('fails if its database connection ends, leaves no file, and the next one works', async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await fillDatabase(databaseUrl, 60_000);
    const gateway = await startTestGateway({ databaseUrl, env: { BACKUP_DIR: directory } });
    const { id } = (await gateway.api<BackupDto>('POST', '/admin/backups')).body.data;
    const read = async () => (await gateway.api<BackupDto>('GET', `/admin/backups/${id}`)).body.data;
    await withClient(databaseUrl, async (client) => {
      await eventually(
        'the copy of the messages has ended',
        async () => {
          const { rows } = await client.query<{ ended: boolean }>(
            `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
           WHERE application_name = 'messaging-gateway backup' AND query LIKE 'COPY %FROM "messages"%' AND datname = current_database()`,
          );
          expect(rows).toEqual([{ ended: true }]);
        },
        { everyMs: 1 },
      );
    });
    await eventually('the backup has failed', async () => expect((await read()).status).toBe('failed'));
    expect(await filesIn(directory)).toEqual([]);
    const env = { DATABASE_URL: databaseUrl, BACKUP_DIR: directory, DATA_DIR: directory };
    const next = await runCommand(env, 'backup', 'create', '--json');
    expect(next.code).toBe(0);
    const { id: whole } = JSON.parse(next.stdout) as BackupDto;
    const verified = await runCommand(env, 'backup', 'verify', whole);
    expect(verified).toMatchObject({ code: 0, stderr: '' });

    // It can be restored once, only with its own secrets, and the command names the held work.
    const empty = { ...env, DATABASE_URL: await (await sharedPostgres()).createEmptyDatabase() };
    const other = await runCommand(
      { ...empty, API_KEY_PEPPER: 'the pepper of another deployment' },
      'backup',
      'restore',
      whole,
    );
    expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/^API_KEY_PEPPER differs/) as string });
    const restored = await runCommand(empty, 'backup', 'restore', whole);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(restored.stdout).toContain(
      '0 webhook deliveries and 0 mails are held: "gateway webhooks resume" sends them',
    );
    const again = await runCommand(empty, 'backup', 'restore', whole, '--json');
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toEqual({
      error: { message: 'The database is not empty: restore a backup into an empty database' },
    });

    // `verify` reports a flipped byte with exit code 1.
    const file = join(
      directory,
      (await filesIn(directory)).find((name) => name.includes(whole))!,
    );
    const bytes = await readFile(file);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    await writeFile(file, bytes);
    const changed = await runCommand(env, 'backup', 'verify', whole);
    expect(changed.code).toBe(1);
    expect(changed.stderr).toMatch(/^Truncated or modified: .*\n$|^The table \w+ does not match its checksum\n$/);
  });

  it('fails with the reason if PostgreSQL is restarted, leaves no file, and the next one works', async () => {
    const postgres = await TestPostgres.start();
    const databaseUrl = await postgres.createDatabase();
    await fillDatabase(databaseUrl, 100_000);
    const gateway = await startTestGateway({ databaseUrl, env: { BACKUP_DIR: directory } });
    try {
      const start = async () => (await gateway.api<BackupDto>('POST', '/admin/backups')).body.data;
      const ended = ({ id }: BackupDto) =>
        eventually(
          'the backup has ended',
          async () => {
            const { status, body } = await gateway.api<BackupDto>('GET', `/admin/backups/${id}`);
            expect(status).toBe(200);
            expect(body.data.status).not.toBe('running');
            return body.data;
          },
          PATIENT,
        );
      const broken = await start();
      await eventually('a part of the file is written', async () => expect(await filesIn(directory)).toHaveLength(1), {
        everyMs: 1,
      });
      await postgres.crash();
      await postgres.restart();
      const failed = await ended(broken);
      expect(failed).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/^The connection to the database ended/) as string,
      });
      expect(await filesIn(directory)).toEqual([]);
      const events = await gateway.sql<{ data: object }>(
        `SELECT body::json -> 'data' AS data FROM events WHERE type = 'backup.failed'`,
      );
      expect(events.map(({ data }) => data)).toEqual([
        { environment: 'live', backup_id: failed.id, error: failed.error },
      ]);
      const next = await ended(await start());
      expect(next).toMatchObject({ status: 'completed', error: null });
      const [file] = await filesIn(directory);
      expect(await readBackup(fileSource(join(directory, file!)))).toMatchObject({ id: next.id, rows: next.rows });
    } finally {
      await gateway.stop();
      await postgres.stop();
    }
  });

  it('fails if its child process is killed; the gateway continues, and the next one works', async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await fillDatabase(databaseUrl, 60_000);
    const gateway = await startTestGateway({ databaseUrl, env: { BACKUP_DIR: directory } });
    const end = async () => {
      const { id } = (await gateway.api<BackupDto>('POST', '/admin/backups')).body.data;
      await eventually('a part of the file is written', async () => expect(await filesIn(directory)).not.toEqual([]), {
        everyMs: 1,
      });
      return () =>
        eventually(
          'the backup has ended',
          async () => {
            const { data } = (await gateway.api<BackupDto>('GET', `/admin/backups/${id}`)).body;
            expect(data.status).not.toBe('running');
            return data;
          },
          PATIENT,
        );
    };
    const broken = await end();
    process.kill(await backupProcess(), 'SIGKILL');
    expect(await broken()).toMatchObject({ status: 'failed', error: 'The backup process ended (SIGKILL)' });
    const whole = await (await end())();
    expect(whole.status).toBe('completed');
    // The files of the killed process are gone.
    expect(await filesIn(directory)).toEqual([expect.stringContaining(whole.id)]);
  });

  it('fails on a full disk with the reason, and leaves no file', async () => {
    const small = join(directory, 'small');
    await mkdir(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', small], { stdio: 'ignore' });
    } catch {
      process.stderr.write('SKIPPED: this user may not mount a small file system, so no disk was full\n');
      return;
    }
    try {
      const databaseUrl = await (await sharedPostgres()).createDatabase();
      await fillDatabase(databaseUrl, 20_000);
      const gateway = await startTestGateway({ databaseUrl, env: { BACKUP_DIR: small } });
      const { id } = (await gateway.api<BackupDto>('POST', '/admin/backups')).body.data;
      await eventually('the backup has failed', async () => {
        const { data } = (await gateway.api<BackupDto>('GET', `/admin/backups/${id}`)).body;
        expect(data).toMatchObject({ status: 'failed', error: 'The disk of BACKUP_DIR is full' });
      });
      expect(await filesIn(small)).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', small]);
    }
  });
});
