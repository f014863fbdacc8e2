import { readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attachment } from '#contracts';
import type { Fault } from '../fakes/fault-queue';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import { sha256 } from '../support/media';
import { png } from '../support/png';
import { makePassableFolder } from '../support/passable-folder';
import type { GatewayProcess } from '../support/process';
import { Deployment } from './deployment';

jest.setTimeout(300_000);

const PHOTOS = 40;
const KILLS = 4;
/** The first clean-up comes 30 s after a start, and leaves bytes that came in within 30 s. */
const CLEANED_MS = 120_000;

/** Each strikes one of the first downloads. */
const FAULTS: readonly Fault[] = [
  { method: 'getFile', status: 503, times: 3 },
  { method: 'getFile', status: 429, retryAfter: 1, times: 2 },
  { method: 'getFile', kind: 'reset' },
  { method: 'file', status: 503, times: 3 },
  { method: 'file', status: 429, headers: { 'retry-after': '1' }, times: 2 },
  { method: 'file', kind: 'cut', times: 3 },
  { method: 'file', kind: 'truncate', times: 3 },
  { method: 'file', kind: 'drip', times: 2 },
  { method: 'file', kind: 'reset', times: 2 },
  { method: 'file', kind: 'lie', headers: { 'content-type': 'text/html' }, times: 2 },
];

describe('files while the gateway is killed and the platform fails', () => {
  let deployment: Deployment;
  let telegram: TelegramFake;
  let directory: string;

  beforeEach(async () => {
    directory = await makePassableFolder('gateway-media-faults-');
    telegram = await new TelegramFake().start();
    const env = { MEDIA_DIR: join(directory, 'media') };
    deployment = await Deployment.create({ environment: 'live', telegram, env });
  });
  afterEach(async () => {
    await deployment.stop();
    await telegram.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Below MEDIA_DIR, `live/9f/9f86d0…` and `incoming/…`. */
  const files = async () => {
    const entries = await readdir(join(directory, 'media'), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    return paths.map((path) => path.slice(join(directory, 'media').length + 1)).filter((path) => path.includes(sep));
  };

  const bytesOf = async (instance: GatewayProcess, id: string) => {
    const path = `${instance.url}/api/v1/attachments/${id}/content`;
    const answer = await fetch(path, { headers: { authorization: `Bearer ${deployment.key}` } });
    return { status: answer.status, digest: sha256(Buffer.from(await answer.arrayBuffer())) };
  };

  /** The storage has exactly the bytes that attachments refer to, and their sizes add up. */
  const assertClean = () =>
    eventually(
      'the storage has the bytes of attachments, and no others',
      async () => {
        const stored = await deployment.sql<{ path: string }>(
          `SELECT DISTINCT 'live/' || left(sha256, 2) || '/' || sha256 AS path FROM attachments WHERE status = 'stored'`,
        );
        expect((await files()).toSorted()).toEqual(stored.map(({ path }) => path).toSorted());
        const [usage] = await deployment.sql<{ used: string; held: string }>(
          `SELECT (SELECT bytes FROM media_usage WHERE environment = 'live') AS used, sum(size_bytes) AS held FROM media_files`,
        );
        expect(usage!.used).toBe(usage!.held);
      },
      { timeoutMs: CLEANED_MS, everyMs: 500 },
    );

  it('of inbound messages are stored and reported once, and expired ones reported as such', async () => {
    for (const fault of FAULTS) telegram.fail(fault);
    let instance = await deployment.startInstance();
    const photos = Array.from({ length: PHOTOS }, (_, index) => png(1, 1, 50_000 + index * 5_000));
    // Two people send the same file.
    photos[1] = photos[0]!;
    const send = (index: number, bytes: Buffer): string => {
      const file_id = telegram.addFile(bytes);
      const photo = [{ file_id, file_unique_id: `unique ${index}`, width: 1, height: 1, file_size: bytes.length }];
      telegram.receiveContent(1_000 + index, { photo, caption: `photo ${index}` });
      return file_id;
    };
    const stored = async () =>
      (await deployment.sql<{ n: number }>(`SELECT count(*)::int AS n FROM attachments WHERE status = 'stored'`))[0]!.n;
    telegram.expireFile(send(PHOTOS, png()));
    for (let kill = 0; kill < KILLS; kill++) {
      const from = (kill * PHOTOS) / KILLS;
      for (let index = from; index < from + PHOTOS / KILLS; index++) send(index, photos[index]!);
      const least = await stored();
      await eventually('some are stored', async () => expect(await stored()).toBeGreaterThan(least), {
        timeoutMs: 60_000,
        everyMs: 5,
      });
      process.stdout.write(`killed with ${await stored()} of ${from + PHOTOS / KILLS} files stored\n`);
      await instance.kill();
      instance = await deployment.startInstance();
    }
    await eventually('all are stored', async () => expect(await stored()).toBe(PHOTOS), {
      timeoutMs: 120_000,
      everyMs: 200,
    });
    const { data } = (await instance.api<Message[]>('GET', '/messages?expand=details&per_page=100')).body;
    expect(data).toHaveLength(PHOTOS + 1);
    for (const [index, photo] of photos.entries()) {
      const message = data.find(({ content }) => content.endsWith(`photo ${index}`))!;
      const [attachment, ...more] = message.attachments;
      expect([attachment!.sha256, attachment!.mime_type, more]).toEqual([sha256(photo), 'image/png', []]);
      expect(await bytesOf(instance, attachment!.id)).toEqual({ status: 200, digest: sha256(photo) });
    }
    const events = await deployment.sql<{ type: string; n: number; attachments: number }>(
      `SELECT type, count(*)::int AS n, count(DISTINCT body::json->'data'->'attachment'->>'id')::int AS attachments
       FROM events WHERE type LIKE 'attachment.%' GROUP BY type ORDER BY type`,
    );
    expect(events).toEqual([
      { type: 'attachment.failed', n: 1, attachments: 1 },
      { type: 'attachment.stored', n: PHOTOS, attachments: PHOTOS },
    ]);
    await assertClean();
    expect((await files()).length).toBe(PHOTOS - 1);
  });

  it('that were uploaded survive kill -9, and unanswered uploads leave nothing', async () => {
    let instance = await deployment.startInstance();
    const answered = new Map<string, string>();
    const upload = async (target: GatewayProcess, bytes: Buffer): Promise<boolean> => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)]), 'photo.png');
      const headers = { authorization: `Bearer ${deployment.key}` };
      const request = fetch(`${target.url}/api/v1/media`, { method: 'POST', headers, body: form });
      const answer = await request.then((each) => each.json() as Promise<{ data: Attachment }>).catch(() => undefined);
      if (answer) answered.set(answer.data.id, sha256(bytes));
      return answer !== undefined;
    };
    let unanswered = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const uploads = Array.from({ length: 12 }, () => upload(instance, png(1, 1, 2_000_000)));
      const before = answered.size;
      await eventually('one is answered', () => expect(answered.size).toBeGreaterThan(before), {
        timeoutMs: 60_000,
        everyMs: 1,
      });
      await sleep(kill * 10);
      await instance.kill();
      unanswered += (await Promise.all(uploads)).filter((isAnswered) => !isAnswered).length;
      instance = await deployment.startInstance();
    }
    process.stdout.write(`${answered.size} uploads were answered, ${unanswered} were not\n`);
    expect(unanswered).toBeGreaterThan(0);
    await assertClean();
    for (const [id, digest] of answered) expect(await bytesOf(instance, id)).toEqual({ status: 200, digest });
    expect(await files()).not.toContainEqual(expect.stringContaining('incoming'));
  });
});

interface Message {
  content: string;
  attachments: Attachment[];
}
