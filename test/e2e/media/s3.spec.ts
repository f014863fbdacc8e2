import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attachment } from '#contracts';
import { MediaStore } from '../../../src/media/storage/media-store.service';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { content, sha256, upload } from '../../support/media';
import { png } from '../../support/png';
import { ObjectStorage } from '../../support/object-storage';

jest.setTimeout(60_000);

/** More than a part of an upload to S3. */
const LARGE = png(5, 5, 9_000_000);

let directory: string;
let storage: ObjectStorage;
let telegram: TelegramFake;
let gateway: TestGateway;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-s3-'));
  storage = await ObjectStorage.start(join(directory, 's3'));
  telegram = await new TelegramFake().start();
  const env = { MEDIA_S3_URL: storage.url, MEDIA_DIR: join(directory, 'media') };
  gateway = await startTestGateway({ telegram, env });
  await gateway.connected('telegram');
});
afterAll(async () => {
  await gateway.stop();
  await telegram.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Below the prefix, without what the server appends to names. */
const objects = async () => {
  const folder = join(directory, 's3', 'backups', 'daily');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('_object')).map((name) => name.replace(/[.]_S3rver_object$/, ''));
};
const keyOf = (bytes: Buffer) => `live/${sha256(bytes).slice(0, 2)}/${sha256(bytes)}`;
const spooled = () => readdir(join(directory, 'media', 'incoming'));

describe('With MEDIA_S3_URL', () => {
  it('an upload is an object, which can be read with ranges and an ETag, and sent', async () => {
    const { id, sha256: digest } = (await upload(gateway, LARGE)).body.data;
    expect(digest).toBe(sha256(LARGE));
    expect(await objects()).toEqual([keyOf(LARGE)]);
    expect(await spooled()).toEqual([]);
    const whole = await content(gateway, id);
    expect([whole.status, sha256(whole.bytes)]).toEqual([200, sha256(LARGE)]);
    const part = await content(gateway, id, { range: 'bytes=8388600-8388615' });
    expect([part.status, part.bytes]).toEqual([206, LARGE.subarray(8_388_600, 8_388_616)]);
    expect(part.headers['content-range']).toBe(`bytes 8388600-8388615/${LARGE.length}`);
    const tail = await content(gateway, id, { range: 'bytes=-5' });
    expect([tail.status, tail.bytes]).toEqual([206, LARGE.subarray(-5)]);
    expect((await content(gateway, id, { 'if-none-match': `"${digest}"` })).status).toBe(304);

    telegram.receiveText({ chatId: 7, text: 'Hi' });
    const body = { platform: 'telegram', recipient: '7', message: 'Look', attachments: [{ id }] };
    const sent = await gateway.api<{ status: string }>('POST', '/messages/send', body);
    expect(sent.body.data.status).toBe('sent');
    expect(sha256(telegram.sent.at(-1)!.file!.bytes)).toBe(sha256(LARGE));
  });

  it('the file of an inbound message becomes an object; identical bytes are one', async () => {
    const bytes = png(6, 6, 20_000);
    for (const caption of ['first', 'second']) {
      telegram.receiveContent(8, {
        photo: [{ file_id: telegram.addFile(bytes), file_unique_id: caption, width: 6, height: 6, file_size: 20_000 }],
        caption,
      });
    }
    const files = await eventually('both files are stored', async () => {
      const { data } = (await gateway.api<{ attachments: Attachment[] }[]>('GET', '/messages?expand=details')).body;
      const stored = data.flatMap(({ attachments }) => attachments).filter((each) => each.sha256 === sha256(bytes));
      expect(stored.map(({ status }) => status)).toEqual(['stored', 'stored']);
      return stored;
    });
    for (const { id } of files) expect((await content(gateway, id)).bytes.equals(bytes)).toBe(true);
    expect((await objects()).filter((key) => key === keyOf(bytes))).toHaveLength(1);
  });

  it('the clean-up removes unused objects, and an erasure those of its messages', async () => {
    const bytes = png(7, 7, 500);
    await upload(gateway, bytes);
    expect(await objects()).toContain(keyOf(bytes));
    await gateway.sql(`DELETE FROM attachments WHERE sha256 = $1`, [sha256(bytes)]);
    await gateway.sql(`UPDATE media_files SET touched_at = touched_at - interval '60 seconds'`);
    await gateway.app.get(MediaStore).removeUnused();
    expect(await objects()).not.toContain(keyOf(bytes));

    const message = (
      await gateway.api<{ conversation_id: string; content: string }[]>('GET', '/messages?expand=details')
    ).body.data.find((each) => each.content.endsWith('second'));
    const before = await objects();
    expect((await gateway.api('DELETE', `/conversations/${message!.conversation_id}`)).status).toBe(200);
    await eventually('its object is gone', async () => expect((await objects()).length).toBe(before.length - 1), {
      timeoutMs: 40_000,
    });
    expect(await objects()).toContain(keyOf(LARGE));
  });

  it('an upload is refused while the storage is unreachable, and leaves nothing', async () => {
    await storage.stop();
    const failed = await upload(gateway, png(9, 9, 700));
    expect([failed.status, failed.body]).toMatchObject([expect.any(Number), { success: false }]);
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(await spooled()).toEqual([]);
  });
});
