import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileSource } from '../../../src/operations/backups/archive/backup-source';
import { readBackup } from '../../../src/operations/backups/archive/backup-reader';
import { readIdentity } from '../../../src/operations/backups/archive/encryption';
import type { BackupDto } from '../../../src/operations/backups/backup.dto';
import { eventually } from '../../support/eventually';
import { aTimestamp, expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('backups', () => {
  let directory: string;
  let gateway: TestGateway;
  let other: TestGateway | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-backups-'));
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), other?.stop()]);
    other = undefined;
    await rm(directory, { recursive: true, force: true });
  });

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    gateway = await startTestGateway({ env: { BACKUP_DIR: directory, ...env } });
  };
  const files = async () => (await readdir(directory)).filter((name) => name !== 'this-folder.id');
  const list = async () => (await gateway.api<BackupDto[]>('GET', '/admin/backups')).body.data;
  const make = async (): Promise<BackupDto> => {
    const { status, body } = await gateway.api<BackupDto>('POST', '/admin/backups');
    expect(status).toBe(201);
    return ended(body.data.id);
  };
  const ended = (id: string) =>
    eventually('the backup ends', async () => {
      const { data } = (await gateway.api<BackupDto>('GET', `/admin/backups/${id}`)).body;
      expect(data.status).not.toBe('running');
      return data;
    });
  const eventsOf = (type: string) =>
    gateway.sql<{ data: object }>(`SELECT body::json -> 'data' AS data FROM events WHERE type = $1`, [type]);

  it('are made by POST /admin/backups, which answers 201 with a record that gets size, rows and checksum', async () => {
    await start();
    await gateway.api(
      'POST',
      '/messages/send',
      { platform: 'telegram', recipient: '7', message: 'Hi' },
      { key: gateway.testKey },
    );
    const backup = await make();
    const [file] = await files();
    const content = await readFile(join(directory, file!));
    expect(backup).toEqual({
      id: expect.stringMatching(/^bak_/) as string,
      status: 'completed',
      trigger: 'api',
      started_at: aTimestamp(),
      finished_at: aTimestamp(),
      size_bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      rows: expect.any(Number) as number,
      files: 0,
      error: null,
      verified_at: null,
      verify_error: null,
    });
    expect((await stat(join(directory, file!))).mode & 0o777).toBe(0o600);
    const manifest = await readBackup(fileSource(join(directory, file!)));
    expect(manifest.rows).toBe(backup.rows);
    for (const { name, rows } of manifest.tables.filter(({ name: table }) =>
      ['messages', 'api_keys'].includes(table),
    )) {
      const [counted] = await gateway.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${name}`);
      expect([name, rows]).toEqual([name, counted!.n]);
    }
    expect(await list()).toEqual([backup]);
    const [event] = await eventsOf('backup.completed');
    expect(event!.data).toEqual({
      environment: 'live',
      backup_id: backup.id,
      size_bytes: backup.size_bytes,
      duration_ms: Date.parse(backup.finished_at!) - Date.parse(backup.started_at),
      sha256: backup.sha256,
    });
  });

  it('contain every table except computed ones', async () => {
    await start();
    await make();
    const [file] = await files();
    const { tables } = await readBackup(fileSource(join(directory, file!)));
    const stored = await gateway.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    const left = stored.map(({ name }) => name).filter((name) => !tables.some((table) => table.name === name));
    expect(left.toSorted()).toEqual([
      'audit_log_count_changes',
      'audit_log_counts',
      'conversation_count_changes',
      'conversation_counts',
      'conversation_terms',
      'failed_messages',
      'migrations',
    ]);
  });

  it('run one at a time over two instances: a second request gets the running one', async () => {
    await start();
    other = await startTestGateway({ databaseUrl: gateway.databaseUrl, env: { BACKUP_DIR: directory } });
    const answers = await Promise.all(
      [gateway, other, gateway, other].map((instance) => instance.api<BackupDto>('POST', '/admin/backups')),
    );
    const ids = new Set(answers.map(({ body }) => body.data.id));
    const created = answers.filter(({ status }) => status === 201).length;
    expect(created).toBe(ids.size);
    for (const id of ids) await ended(id);
    const records = await list();
    const inOrder = records.toSorted((a, b) => a.started_at.localeCompare(b.started_at));
    inOrder.slice(1).forEach(({ started_at }, index) => expect(started_at >= inOrder[index]!.finished_at!).toBe(true));
  });

  it('are hidden from test keys, and need admin:settings', async () => {
    await start();
    for (const [method, path] of [
      ['POST', '/admin/backups'],
      ['GET', '/admin/backups'],
      ['GET', '/admin/backups/bak_01h455vb4pex5vsknk084sn02q'],
    ] as const) {
      const answer = await gateway.api(method, path, undefined, { key: gateway.testKey });
      expect([answer.status, (answer.body as { error?: { code: string } }).error?.code]).toEqual([
        404,
        'RESOURCE_NOT_FOUND',
      ]);
      const key = await gateway.createKey({ scopes: ['admin:users'] });
      expect((await gateway.api(method, path, undefined, { key })).status).toBe(403);
    }
    expect(await gateway.api('GET', '/admin/backups/bak_01h455vb4pex5vsknk084sn02q')).toMatchObject(
      expectedError('RESOURCE_NOT_FOUND', { resource: 'backup', id: 'bak_01h455vb4pex5vsknk084sn02q' }),
    );
  });

  it('keep the files of the newest BACKUP_KEEP, and all records', async () => {
    await start({ BACKUP_KEEP: '2' });
    const made: BackupDto[] = [];
    for (let n = 0; n < 4; n++) made.push(await make());
    await eventually('the old files are gone', async () => expect(await files()).toHaveLength(2));
    const left = (await files()).join(' ');
    expect(made.map(({ id }) => left.includes(id))).toEqual([false, false, true, true]);
    expect((await list()).map(({ id }) => id)).toEqual(made.map(({ id }) => id).toReversed());
  });

  it('are encrypted with the key of BACKUP_KEY_FILE, and cannot be read with another', async () => {
    const keyFile = join(directory, 'key');
    await writeFile(keyFile, 'ab'.repeat(32));
    await start({ BACKUP_KEY_FILE: keyFile, BACKUP_DIR: join(directory, 'files') });
    await make();
    const file = (await readdir(join(directory, 'files'))).find((name) => name.startsWith('gateway-'));
    const path = join(directory, 'files', file!);
    expect((await readFile(path)).subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    expect(
      (await readBackup(fileSource(path), { identity: await readIdentity(keyFile) })).tables.length,
    ).toBeGreaterThan(10);
    await expect(readBackup(fileSource(path))).rejects.toThrow('Encrypted: set BACKUP_KEY_FILE');
    await writeFile(keyFile, 'cd'.repeat(32));
    await expect(readBackup(fileSource(path), { identity: await readIdentity(keyFile) })).rejects.toThrow(
      `The key in BACKUP_KEY_FILE does not decrypt ${path}: it was encrypted with another key`,
    );
  });

  it('fail with a reason and an event if the folder cannot be created, and leave no file', async () => {
    await writeFile(join(directory, 'file'), '');
    await start({ BACKUP_DIR: join(directory, 'file', 'folder') });
    const backup = await make();
    expect(backup).toMatchObject({ status: 'failed', size_bytes: null, sha256: null, rows: null });
    expect(backup.error).toBe('BACKUP_DIR cannot be used (ENOTDIR)');
    expect((await eventsOf('backup.failed'))[0]!.data).toEqual({
      environment: 'live',
      backup_id: backup.id,
      error: backup.error,
    });
  });

  it('become failed, with an event and without a lock, if their process dies', async () => {
    await start();
    await gateway.sql(
      `INSERT INTO backups (id, status, trigger, started_at, file)
       VALUES (gen_random_uuid(), 'running', 'api', now(), 'gateway-2026-01-01T00-00-00Z-bak_1.tar.zst')`,
    );
    await writeFile(join(directory, 'gateway-2026-01-01T00-00-00Z-bak_1.tar.zst.partial'), 'half');
    // It died after its file was whole.
    await writeFile(join(directory, 'gateway-2026-01-01T00-00-00Z-bak_1.tar.zst'), 'whole');
    await make();
    expect((await list()).map(({ status }) => status).toSorted()).toEqual(['completed', 'failed']);
    expect(await eventsOf('backup.failed')).toHaveLength(1);
    await eventually('its file is gone', async () => expect(await files()).toHaveLength(1));
  });

  it('are started by BACKUP_SCHEDULE, once for two instances', async () => {
    await start({ BACKUP_SCHEDULE: '* * * * * *' });
    other = await startTestGateway({
      databaseUrl: gateway.databaseUrl,
      env: { BACKUP_DIR: directory, BACKUP_SCHEDULE: '* * * * * *' },
    });
    const twoHaveEnded = async () => {
      const done = (await list()).filter(({ status, trigger }) => status === 'completed' && trigger === 'schedule');
      expect(done.length).toBeGreaterThanOrEqual(2);
    };
    // Each is a process of its own, made beside all the other specs.
    await eventually('two scheduled backups have ended', twoHaveEnded, { timeoutMs: 40_000 });
    const [same] = await gateway.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM (SELECT scheduled_for FROM backups GROUP BY 1 HAVING count(*) > 1) twice`,
    );
    expect(same!.n).toBe(0);
  }, 60_000);
});
