import { appendFile, copyFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileSource } from '../../../src/operations/backups/archive/backup-source';
import { verifyBackup } from '../../../src/operations/backups/restore';
import { loadConfiguration } from '../../../src/core/config/load-configuration';
import { runCommand } from '../../support/command';
import { testEnvironment } from '../../support/environment';
import { sharedPostgres, withClient } from '../../support/postgres';
import { rewriteBackup } from '../../support/rewrite-backup';

jest.setTimeout(180_000);

describe('the authenticity of a backup', () => {
  let directory: string;
  /** Path of a genuine backup. */
  let original: string;
  /** Path of a copy that a test may change. */
  let path: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-authentic-'));
    const files = join(directory, 'files');
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, BACKUP_DIR: files };
    expect(await runCommand(env, 'backup', 'create')).toMatchObject({ code: 0 });
    original = join(
      files,
      (await readdir(files)).find((name) => name.startsWith('gateway-'))!,
    );
    path = join(directory, 'copy.tar.zst');
  });
  beforeEach(() => copyFile(original, path));
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const verify = () =>
    verifyBackup(loadConfiguration({ ...testEnvironment({}), DATA_DIR: directory }), fileSource(path));
  const emptyDatabase = async () => (await sharedPostgres()).createEmptyDatabase();

  it('is proven by an HMAC: a file with changed rows and right checksums fails verify and restore', async () => {
    await expect(verify()).resolves.toMatchObject({ format: 3 });
    await rewriteBackup(path, () => undefined);
    await expect(verify()).resolves.toMatchObject({ format: 3 });
    await rewriteBackup(path, (tables) => {
      tables.set('deployment', `${tables.get('deployment')}forged\tvalue\n`);
    });
    const verified = await runCommand(env, 'backup', 'verify', path);
    expect(verified).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Not authentic: /) as string });
    const url = await emptyDatabase();
    for (const words of [[], ['--allow-unauthenticated']]) {
      const restored = await runCommand({ ...env, DATABASE_URL: url }, 'backup', 'restore', path, ...words);
      expect(restored).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Not authentic: /) as string });
    }
    const { rowCount } = await withClient(url, (client) =>
      client.query(`SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'`),
    );
    expect(rowCount).toBe(0);
  });

  it.each([
    ['without its HMAC', { hmac: undefined }],
    ['with an HMAC that is none', { hmac: 'x' }],
    ['with another moment', { created_at: '2020-01-01T00:00:00.000Z' }],
    ['with another schema', { schema: [] }],
    ['without fingerprints', { fingerprints: {} }],
  ])('is not given for a file %s', async (_, change) => {
    await rewriteBackup(path, (_tables, manifest) => void Object.assign(manifest, change));
    await expect(verify()).rejects.toThrow(/^Not authentic: /);
  });

  it('is not given for a backup of an older version: only --allow-unauthenticated accepts it, with a warning', async () => {
    await rewriteBackup(path, () => undefined, true);
    const refused = await runCommand(env, 'backup', 'verify', path);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^An older version made it/) as string });
    const empty = { ...env, DATABASE_URL: await emptyDatabase() };
    expect(await runCommand(empty, 'backup', 'restore', path)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^An older version made it/) as string,
    });
    const risk = expect.stringMatching(
      /^An older version made this backup without authentication[^\n]* may have changed [^\n]*\. Make a new backup at once\.\n$/,
    ) as string;
    const verified = await runCommand(env, 'backup', 'verify', path, '--allow-unauthenticated', '--json');
    expect(verified).toMatchObject({ code: 0, stderr: risk });
    expect(JSON.parse(verified.stdout)).toMatchObject({ format: 1 });
    expect(await runCommand(empty, 'backup', 'restore', path, '--allow-unauthenticated')).toMatchObject({
      code: 0,
      stderr: risk,
    });
  });

  it('is lost with a changed, missing or additional byte: no changed row is accepted', async () => {
    const whole = await readFile(original);
    const genuine = await verify();
    for (let position = 0; position < whole.length; position += 7) {
      const changed = Buffer.from(whole);
      changed[position]! ^= 1 << (position % 8);
      await writeFile(path, changed);
      // zstd ignores a few bits: every table is then unchanged, and the HMAC still matches.
      expect(await verify().catch(() => genuine)).toEqual(genuine);
    }
    for (const length of [whole.length - 1, whole.length - 5, Math.floor(whole.length / 2), 3, 0]) {
      await writeFile(path, whole);
      await truncate(path, length);
      await expect(verify()).rejects.toThrow(/Truncated/);
    }
    for (const further of ['x', 'further bytes', whole]) {
      await writeFile(path, whole);
      await appendFile(path, further);
      await expect(verify()).rejects.toThrow(/Truncated|Data after the end/);
    }
  });
});
