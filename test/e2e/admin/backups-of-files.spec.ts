import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdCompress, zstdDecompressSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { fileSource } from '../../../src/operations/backups/archive/backup-source';
import { COMPRESSION } from '../../../src/operations/backups/archive/frame';
import type { BackupDto } from '../../../src/operations/backups/backup.dto';
import { BackupRunner } from '../../../src/operations/backups/backup-runner.service';
import { restoreBackup, verifyBackup } from '../../../src/operations/backups/restore';
import { AFTER_RESTORE } from '../../../src/operations/cli/after-restore';
import { loadConfiguration } from '../../../src/core/config/load-configuration';
import { toPublicId } from '#contracts';
import { openMediaStorage } from '../../../src/media/storage/open-storage';
import { backUp } from '../../support/backups';
import { runCommand } from '../../support/command';
import { testEnvironment } from '../../support/environment';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { content, sha256, upload } from '../../support/media';
import { png } from '../../support/png';
import { ObjectStorage } from '../../support/object-storage';
import { sharedPostgres, withClient } from '../../support/postgres';

jest.setTimeout(120_000);

const LOG = { info: () => undefined, warn: () => undefined };

describe('the files of messages in backups', () => {
  let directory: string;
  const stops: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-files-'));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    await rm(directory, { recursive: true, force: true });
  });

  const backups = () => join(directory, 'backups');
  const start = async (env: NodeJS.ProcessEnv, databaseUrl?: string) => {
    const gateway = await startTestGateway({ databaseUrl, env: { BACKUP_DIR: backups(), ...env } });
    stops.push(() => gateway.stop());
    return gateway;
  };
  const configuration = (env: NodeJS.ProcessEnv) =>
    loadConfiguration({ ...testEnvironment({}), DATA_DIR: directory, ...env });

  async function restore(path: string, env: NodeJS.ProcessEnv): Promise<TestGateway> {
    const url = await (await sharedPostgres()).createEmptyDatabase();
    await restoreBackup(configuration(env), { url, source: fileSource(path), log: LOG }, AFTER_RESTORE);
    return start(env, url);
  }

  /** The SHA-256 of the bytes that the gateway serves. */
  async function served(gateway: TestGateway, id: string, key?: string): Promise<string> {
    const { status, bytes } = await content(gateway, id, {}, key);
    expect(status).toBe(200);
    return sha256(bytes);
  }

  /** The environment of a storage of its own, on the disk or in S3. */
  const PLACES: Readonly<Record<string, (name: string) => Promise<NodeJS.ProcessEnv>>> = {
    MEDIA_DIR: (name) => Promise.resolve({ MEDIA_DIR: join(directory, name) }),
    MEDIA_S3_URL: async (name) => {
      const storage = await ObjectStorage.start(join(directory, `${name}-s3`));
      stops.push(() => storage.stop());
      return { MEDIA_DIR: join(directory, name), MEDIA_S3_URL: storage.url };
    },
  };

  it.each(Object.keys(PLACES))('are restored from %s; lost or changed ones are left out', async (place) => {
    const [from, to] = [await PLACES[place]!('from'), await PLACES[place]!('to')];
    const keyFile = join(directory, 'backup.key');
    await writeFile(keyFile, '0a'.repeat(32));
    const gateway = await start({ ...from, BACKUP_KEY_FILE: keyFile });
    // Longer than a piece of the archive, and than a part of an upload to S3.
    const photos = [png(1, 1, 9_000_001), png(2, 2), png(3, 3), png(4, 4)];
    const uploads = [];
    for (const photo of photos) uploads.push((await upload(gateway, photo)).body.data);
    const test = (await upload(gateway, photos[0]!, { key: gateway.testKey })).body.data;
    const { media } = configuration(from);
    const storage = await openMediaStorage(media);
    const other = join(media.directory, 'incoming', 'other');
    await writeFile(other, 'other bytes');
    await storage.remove('live', uploads[2]!.sha256!);
    await storage.keep('live', uploads[3]!.sha256!, other);

    const { backup, path } = await backUp(gateway, backups());
    expect(backup.files).toBe(3);
    expect(await readdir(join(media.directory, 'incoming'))).toEqual([]);
    const verified = await gateway.api<BackupDto>('POST', `/admin/backups/${backup.id}/verify`);
    expect(verified.body.data).toMatchObject({ verify_error: null });
    await gateway.stop();

    const restored = await restore(path, { ...to, BACKUP_KEY_FILE: keyFile });
    for (const [index, { id }] of uploads.slice(0, 2).entries())
      expect(await served(restored, id)).toBe(sha256(photos[index]!));
    expect(await served(restored, test.id, restored.testKey)).toBe(sha256(photos[0]!));
    for (const { id } of uploads.slice(2)) expect((await content(restored, id)).status).toBe(404);
    // The same bytes are stored anew when they come again.
    const again = (await upload(restored, photos[2]!)).body.data;
    expect(await served(restored, again.id)).toBe(sha256(photos[2]!));
  });

  it('are in the backup except an unreadable one; if all are missing, the backup fails and says so', async () => {
    const env = { MEDIA_DIR: join(directory, 'media') };
    const gateway = await start(env);
    const photos = Array.from({ length: 11 }, (_, index) => png(index + 1, 1));
    for (const photo of photos) await upload(gateway, photo);
    const hash = sha256(photos[0]!);
    const file = join(env.MEDIA_DIR, 'live', hash.slice(0, 2), hash);
    await rm(file);
    // Opens, and cannot be read: as a bad sector.
    await mkdir(file);
    expect((await backUp(gateway, backups())).backup.files).toBe(10);
    await rm(join(env.MEDIA_DIR, 'live'), { recursive: true });
    const { id } = (await gateway.api<BackupDto>('POST', '/admin/backups')).body.data;
    await eventually('the backup has failed', async () => {
      const { data } = (await gateway.api<BackupDto>('GET', `/admin/backups/${id}`)).body;
      expect(data).toMatchObject({ status: 'failed', error: expect.stringContaining('MEDIA_DIR') as string });
    });
  });

  it('are left out by POST /admin/backups with media: false, and have no content after a restore', async () => {
    const env = { MEDIA_DIR: join(directory, 'from') };
    const gateway = await start(env);
    const photo = png();
    const { id } = (await upload(gateway, photo)).body.data;
    const { backup, path } = await backUp(gateway, backups(), { media: false });
    expect(backup.files).toBeNull();
    await gateway.stop();
    const restored = await restore(path, { MEDIA_DIR: join(directory, 'to') });
    expect((await content(restored, id)).status).toBe(404);
    // A copy of MEDIA_DIR brings them back.
    await cp(join(directory, 'from'), join(directory, 'to'), { recursive: true });
    expect(await served(restored, id)).toBe(sha256(photo));
  });

  it('are in scheduled backups, even while a backup without them runs; the API then refuses another one with them', async () => {
    const gateway = await start({ MEDIA_DIR: join(directory, 'media') });
    await upload(gateway, png());
    const runner = gateway.app.get(BackupRunner);
    const read = async (id: string) =>
      (await gateway.api<BackupDto>('GET', `/admin/backups/${toPublicId('backup', id)}`)).body.data;
    const ask = (body: object) => gateway.api<BackupDto>('POST', '/admin/backups', body);
    const [without, scheduled] = await withClient(gateway.databaseUrl, async (client) => {
      // A backup that reaches the table waits.
      await client.query('BEGIN; LOCK TABLE billable_days');
      const { backup: running } = await runner.start('cli', { media: false });
      const next = runner.start('schedule', { scheduledFor: new Date() });
      expect(await ask({})).toMatchObject(
        expectedError('INVALID_REQUEST', { reason: expect.stringContaining('without message files') as string }),
      );
      expect(await ask({ media: false })).toMatchObject({
        status: 200,
        body: { data: { id: toPublicId('backup', running.id) } },
      });
      await client.query('COMMIT');
      return [running, await next];
    });
    expect(scheduled.started).toBe(true);
    await runner.ended();
    const [first, second] = [await read(without.id), await read(scheduled.backup.id)];
    expect(first).toMatchObject({ status: 'completed', files: null });
    expect(second).toMatchObject({ status: 'completed', trigger: 'schedule', files: 1 });
    expect(first.finished_at! <= second.started_at).toBe(true);
  });

  it('are left out by "backup create --without-media", and counted by "backup verify" otherwise', async () => {
    const env = { MEDIA_DIR: join(directory, 'from') };
    const gateway = await start(env);
    await upload(gateway, png());
    const commands = { ...testEnvironment({}), ...env, DATABASE_URL: gateway.databaseUrl, BACKUP_DIR: backups() };
    const counted = async (...words: string[]) => {
      const made = await runCommand(commands, 'backup', 'create', '--json', ...words);
      expect(made).toMatchObject({ code: 0 });
      const { id, files } = JSON.parse(made.stdout) as BackupDto;
      const verified = await runCommand(commands, 'backup', 'verify', id);
      return { files, verified: verified.stdout };
    };
    expect(await counted('--without-media')).toEqual({
      files: null,
      verified: expect.stringMatching(/tables, no files of messages\n$/) as string,
    });
    expect(await counted()).toEqual({
      files: 1,
      verified: expect.stringMatching(/tables, 1 file of messages\n$/) as string,
    });
  });

  it('that were changed, removed or added fail verify and restore', async () => {
    const gateway = await start({ MEDIA_DIR: join(directory, 'from') });
    const photo = png();
    await upload(gateway, photo);
    await upload(gateway, png(2, 2));
    const { path } = await backUp(gateway, backups());
    const digest = sha256(photo);
    const isPhoto = (name: string) => name.endsWith(digest);
    const added = sha256(Buffer.from('added'));
    const changes: Readonly<Record<string, (name: string, bytes: Buffer) => [string, Buffer][]>> = {
      [`The file ${digest} does not match its checksum`]: (name, bytes) => [
        [name, isPhoto(name) ? Buffer.from(bytes.map((byte, index) => (index === 50 ? byte ^ 1 : byte))) : bytes],
      ],
      'The message files do not match the manifest': (name, bytes) => (isPhoto(name) ? [] : [[name, bytes]]),
      'The message files do not match': (name, bytes) => [
        ...(isPhoto(name)
          ? [[`media/live/${added.slice(0, 2)}/${added}`, Buffer.from('added')] as [string, Buffer]]
          : []),
        [name, bytes],
      ],
      'Unknown entry': (name, bytes) => [[isPhoto(name) ? `media/../${digest}` : name, bytes]],
    };
    const original = await readFile(path);
    for (const [fault, change] of Object.entries(changes)) {
      await writeFile(path, await repacked(original, change));
      await expect(verifyBackup(configuration({}), fileSource(path))).rejects.toThrow(fault);
    }
    await writeFile(path, await repacked(original, (name, bytes) => [[name, bytes]]));
    await expect(verifyBackup(configuration({}), fileSource(path))).resolves.toMatchObject({ media: { files: 2 } });
  });
});

/** The archive with other entries in place of each. */
async function repacked(backup: Buffer, change: (name: string, bytes: Buffer) => [string, Buffer][]): Promise<Buffer> {
  const [entries, archive] = [extract(), pack()];
  entries.end(zstdDecompressSync(backup));
  for await (const entry of entries) {
    const bytes = await buffer(entry as AsyncIterable<Buffer>);
    for (const [name, changed] of change(entry.header.name, bytes)) archive.entry({ name }, changed);
  }
  archive.finalize();
  const whole = await buffer(archive as AsyncIterable<Buffer>);
  return buffer(Readable.from([whole]).pipe(createZstdCompress(COMPRESSION)));
}
