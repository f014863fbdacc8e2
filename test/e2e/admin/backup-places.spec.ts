import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupDto } from '../../../src/operations/backups/backup.dto';
import { BackupRunner } from '../../../src/operations/backups/backup-runner.service';
import { BackupStore } from '../../../src/operations/backups/backup-store.service';
import { BackupVerifier } from '../../../src/operations/backups/backup-verifier.service';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { ObjectStorage } from '../../support/object-storage';

jest.setTimeout(120_000);

describe('backup storage', () => {
  let directory: string;
  const stops: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-places-'));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    await rm(directory, { recursive: true, force: true });
  });

  const start = async (env: NodeJS.ProcessEnv = {}, databaseUrl?: string) => {
    const gateway = await startTestGateway({ databaseUrl, env: { BACKUP_DIR: join(directory, 'files'), ...env } });
    stops.push(() => gateway.stop());
    return gateway;
  };
  const filesOf = async (folder = 'files') =>
    (await readdir(join(directory, folder))).filter((name) => name.startsWith('gateway-'));
  const make = async (gateway: TestGateway, trigger: 'schedule' | 'cli' | 'api' = 'api'): Promise<string> => {
    const runner = gateway.app.get(BackupRunner);
    const { backup } = await runner.start(trigger);
    await runner.ended();
    const [{ id }] = (await gateway.api<BackupDto[]>('GET', '/admin/backups')).body.data as [BackupDto];
    expect(id).toBeTruthy();
    return backup.id;
  };
  const list = async (gateway: TestGateway) => (await gateway.api<BackupDto[]>('GET', '/admin/backups')).body.data;

  it('BACKUP_KEEP applies to each trigger alone: backups through the API remove no others', async () => {
    const gateway = await start({ BACKUP_KEEP: '1' });
    await make(gateway, 'schedule');
    await make(gateway, 'cli');
    const kept = await filesOf();
    expect(kept).toHaveLength(2);
    for (let n = 0; n < 3; n++) await make(gateway);
    expect(await filesOf()).toEqual(expect.arrayContaining(kept));
    expect(await filesOf()).toHaveLength(3);
  });

  it('POST /admin/backups makes at most 10 an hour over all keys, and says when the next may be made', async () => {
    const gateway = await start();
    await gateway.sql(
      `INSERT INTO backups (id, status, trigger, started_at)
       SELECT gen_random_uuid(), 'failed', 'api', now() - interval '50 minutes' FROM generate_series(1, 9)`,
    );
    await gateway.sql(
      `INSERT INTO backups (id, status, trigger, started_at)
       SELECT gen_random_uuid(), 'failed', 'cli', now() FROM generate_series(1, 20)`,
    );
    expect((await gateway.api('POST', '/admin/backups')).status).toBe(201);
    await gateway.app.get(BackupRunner).ended();
    const key = await gateway.createKey({ scopes: ['admin:settings'] });
    const refused = await gateway.api('POST', '/admin/backups', undefined, { key });
    expect(refused).toMatchObject(
      expectedError('RATE_LIMIT_EXCEEDED', {
        limit: 10,
        window_seconds: 3_600,
        retry_after_seconds: expect.any(Number) as number,
      }),
    );
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(540);
    expect(seconds).toBeLessThanOrEqual(600);
    // Other triggers go on.
    await make(gateway, 'schedule');
  });

  it('two instances with separate folders rotate together: each removes the files that it sees', async () => {
    const one = await start({ BACKUP_KEEP: '1', BACKUP_DIR: join(directory, 'one') });
    const two = await start({ BACKUP_KEEP: '1', BACKUP_DIR: join(directory, 'two') }, one.databaseUrl);
    await make(one);
    await make(two);
    expect(await filesOf('two')).toHaveLength(1);
    // Only the one sees its file.
    expect(await filesOf('one')).toHaveLength(1);
    await one.app.get(BackupStore).rotate();
    expect(await filesOf('one')).toEqual([]);
    const folders = await one.sql<{ folder: string | null; file: string | null }>(
      'SELECT folder, file FROM backups ORDER BY started_at',
    );
    const id = (await readFile(join(directory, 'two', 'this-folder.id'), 'utf8')).trim();
    expect(folders).toEqual([
      { folder: null, file: null },
      { folder: id, file: (await filesOf('two'))[0] },
    ]);
  });

  it('a record of a restored database never leads outside of BACKUP_DIR', async () => {
    const gateway = await start({ BACKUP_KEEP: '1' });
    await make(gateway, 'cli');
    const victim = join(directory, 'victim');
    await mkdir(victim);
    await writeFile(join(victim, 'important.txt'), 'important');
    const id = (await readFile(join(directory, 'files', 'this-folder.id'), 'utf8')).trim();
    const link = 'gateway-2020-01-01T00-00-00Z-bak_1.tar.zst';
    await symlink(join(victim, 'important.txt'), join(directory, 'files', link));
    for (const [file, folder] of [
      ['../victim/important.txt', id],
      ['../victim/important.txt', null],
      [link, id],
    ])
      await gateway.sql(
        `INSERT INTO backups (id, status, trigger, started_at, sha256, file, folder)
         VALUES (gen_random_uuid(), 'completed', 'cli', '2020-01-01', 'x', $1, $2)`,
        [file, folder],
      );
    const results: unknown[] = [];
    for (const { id: forged } of (await list(gateway)).slice(1)) {
      const { status, body } = await gateway.api<BackupDto>('POST', `/admin/backups/${forged}/verify`);
      results.push(status === 200 ? body.data.verify_error : status);
    }
    expect(new Set(results)).toEqual(new Set([400, `BACKUP_DIR: The file ${link} is missing`]));
    await make(gateway, 'cli');
    expect(await readFile(join(victim, 'important.txt'), 'utf8')).toBe('important');
  });

  it('POST /admin/backups/{id}/verify returns the record, and reports a changed and a missing file', async () => {
    const gateway = await start();
    await make(gateway);
    const [made] = await list(gateway);
    const verify = () => gateway.api<BackupDto>('POST', `/admin/backups/${made!.id}/verify`);
    const before = Date.now() - 1_000;
    const good = await verify();
    expect(good).toMatchObject({ status: 200, body: { data: { ...made, verified_at: expect.any(String) as string } } });
    expect(Date.parse(good.body.data.verified_at!)).toBeGreaterThan(before);
    const [name] = await filesOf();
    const path = join(directory, 'files', name!);
    const content = await readFile(path);
    content[100]! ^= 1;
    await writeFile(path, content);
    expect((await verify()).body.data.verify_error).toMatch(/^BACKUP_DIR: /);
    await rm(path);
    expect((await verify()).body.data.verify_error).toBe(`BACKUP_DIR: The file ${name} is missing`);
    expect((await list(gateway))[0]!.verify_error).toMatch(/missing$/);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('\ngateway_backup_verify_failures_total 2\n');
    expect(metrics).toContain('\ngateway_backup_failures_total 0\n');
  });

  it('POST /admin/backups/{id}/verify says that a storage is unreachable, not that the backup is damaged', async () => {
    const storage = await ObjectStorage.start(join(directory, 's3'));
    const gateway = await start({ BACKUP_S3_URL: storage.url });
    await make(gateway);
    await storage.stop();
    const [made] = await list(gateway);
    const { body } = await gateway.api<BackupDto>('POST', `/admin/backups/${made!.id}/verify`);
    expect(body.data.verify_error).toMatch(/^BACKUP_S3_URL: The storage cannot be reached/);
  });

  it('POST /admin/backups/{id}/verify refuses a failed, a rotated and an invisible backup', async () => {
    const gateway = await start();
    await gateway.sql(
      `INSERT INTO backups (id, status, trigger, started_at, file, folder) VALUES
       (gen_random_uuid(), 'failed', 'cli', '2020-01-03', NULL, NULL),
       (gen_random_uuid(), 'completed', 'cli', '2020-01-02', NULL, NULL),
       (gen_random_uuid(), 'completed', 'cli', '2020-01-01', 'gateway-2020-01-01T00-00-00Z-bak_1.tar.zst', 'elsewhere')`,
    );
    const reasons: unknown[] = [];
    for (const { id } of await list(gateway)) {
      const { status, body } = await gateway.api('POST', `/admin/backups/${id}/verify`);
      reasons.push(status, (body as unknown as { error: { details: { reason: string } } }).error.details.reason);
    }
    expect(reasons).toEqual([
      400,
      'only a completed backup can be verified',
      400,
      'rotation has deleted the file of the backup',
      400,
      'this instance cannot access the folder of the backup',
    ]);
    const unknown = 'bak_01h455vb4pex5vsknk084sn02q';
    expect(await gateway.api('POST', `/admin/backups/${unknown}/verify`)).toMatchObject(
      expectedError('RESOURCE_NOT_FOUND', { resource: 'backup', id: unknown }),
    );
  });

  it('BACKUP_VERIFY_SCHEDULE verifies the newest, once for two instances', async () => {
    const gateway = await start();
    await make(gateway);
    const later = await start({ BACKUP_VERIFY_SCHEDULE: '* * * * * *' }, gateway.databaseUrl);
    await eventually('it is verified', async () => {
      expect((await list(later))[0]).toMatchObject({ verified_at: expect.any(String) as string, verify_error: null });
    });
    const verifiers = [gateway, later].map(({ app }) => app.get(BackupVerifier));
    const scheduledFor = new Date(Date.now() + 3_600_000);
    await gateway.sql('UPDATE backups SET sha256 = $1', ['another']);
    await Promise.all(verifiers.map((verifier) => verifier.verifyNewest(scheduledFor)));
    const failures = await Promise.all(
      [gateway, later].map(async ({ url }) => {
        const text = await (await fetch(`${url}/metrics`)).text();
        return Number(/^gateway_backup_verify_failures_total (\d+)$/m.exec(text)![1]);
      }),
    );
    expect(failures[0]! + failures[1]!).toBe(1);
  });

  it('GET /admin/backups shows schedule and storage, without credentials', async () => {
    const storage = await ObjectStorage.start(join(directory, 's3'));
    stops.push(() => storage.stop());
    const gateway = await start({ BACKUP_SCHEDULE: '0 3 * * *', BACKUP_S3_URL: storage.url });
    const { body } = await gateway.api('GET', '/admin/backups');
    const next = new Date();
    next.setUTCHours(3, 0, 0, 0);
    if (next.getTime() <= Date.now()) next.setUTCDate(next.getUTCDate() + 1);
    expect(body.meta).toMatchObject({
      pagination: { total: 0 },
      schedule: {
        next_run_at: next.toISOString(),
        folder: join(directory, 'files'),
        s3: storage.url.replace('S3RVER:S3RVER@', ''),
      },
    });
    const without = await start({}, gateway.databaseUrl);
    expect((await without.api('GET', '/admin/backups')).body.meta).toMatchObject({
      schedule: { next_run_at: null, folder: join(directory, 'files'), s3: null },
    });
  });

  it('a copy in object storage is verified and removed too, also by an instance that does not see the file', async () => {
    const storage = await ObjectStorage.start(join(directory, 's3'));
    stops.push(() => storage.stop());
    const env = { BACKUP_KEEP: '1', BACKUP_S3_URL: storage.url };
    const one = await start({ ...env, BACKUP_DIR: join(directory, 'one') });
    const two = await start({ ...env, BACKUP_DIR: join(directory, 'two') }, one.databaseUrl);
    await make(one);
    const [made] = await list(one);
    const verify = async () => (await two.api<BackupDto>('POST', `/admin/backups/${made!.id}/verify`)).body.data;
    expect(await verify()).toMatchObject({ verify_error: null });
    const [object] = await storage.objects();
    const content = await readFile(object!);
    await writeFile(object!, content.subarray(0, -1));
    expect((await verify()).verify_error).toMatch(/^BACKUP_S3_URL: Truncated/);
    await make(two);
    expect(await storage.objects()).toEqual([expect.not.stringContaining(made!.id)]);
    expect(await filesOf('one')).toHaveLength(1);
    await one.app.get(BackupStore).rotate();
    expect(await filesOf('one')).toEqual([]);
  });

  it('an unreachable object storage is described in our words, in the record and in backup.failed', async () => {
    const gateway = await start({ BACKUP_S3_URL: 'http://KEY:SECRET@127.0.0.1:9/backups' });
    await make(gateway);
    const [backup] = await list(gateway);
    // Jest's realm hides the code of the error from the SDK.
    expect(backup).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(
        /^The copy to BACKUP_S3_URL failed: the storage cannot be reached( \(ECONNREFUSED\))?$/,
      ) as string,
    });
    const events = await gateway.sql(
      `SELECT body::json -> 'data' ->> 'error' AS error FROM events WHERE type = 'backup.failed'`,
    );
    expect(events).toEqual([{ error: backup!.error }]);
  });
});
