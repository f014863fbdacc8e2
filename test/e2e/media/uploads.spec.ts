import { readdir } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Configuration } from '../../../src/core/config/configuration';
import { cleanFilename } from '../../../src/media/files/file-kind';
import { MediaStore } from '../../../src/media/storage/media-store.service';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { content, postForm, sha256, upload } from '../../support/media';
import { png } from '../../support/png';
import { RawClient } from '../../support/raw-client';

const gateway = useGateway();

/** The files under MEDIA_DIR, as paths. */
async function files(): Promise<string[]> {
  const { directory } = gateway.app.get(Configuration).media;
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
}

/** The hourly clean-up, now. */
const cleanUp = () => gateway.app.get(MediaStore).removeUnused();

const age = (seconds: number) =>
  gateway.sql(`UPDATE media_files SET touched_at = touched_at - make_interval(secs => $1)`, [seconds]);

describe('POST /media', () => {
  it('stores a file and describes it', async () => {
    const bytes = png(640, 480, 5_000);
    const { status, body } = await upload(gateway, bytes, { filename: 'Käse "1".png' });
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^att_/) as string,
        kind: 'image',
        mime_type: 'image/png',
        size_bytes: 5_000,
        sha256: sha256(bytes),
        filename: 'Käse _1_.png',
        width: 640,
        height: 480,
        duration_seconds: null,
        status: 'stored',
        reason: null,
        transcript: null,
      },
    ]);
    const read = await gateway.api('GET', `/attachments/${body.data.id}`);
    expect(read.body.data).toEqual(body.data);
    expect(await files()).toContain(`live/${sha256(bytes).slice(0, 2)}/${sha256(bytes)}`);
  });

  it('refuses a body that is not a multipart form with one file', async () => {
    const key = gateway.liveKey;
    const twice = await upload(gateway, [png(), png()]);
    const none = await postForm(gateway, new FormData(), key);
    const field = new FormData();
    field.append('kind', 'image');
    const named = await postForm(gateway, field, key);
    const json = await gateway.api('POST', '/media', { file: 'x' });
    const empty = await upload(gateway, Buffer.alloc(0));
    expect(
      [twice, none, named, json, empty].map(({ status, body }) => [status, body.error.code, body.error.details]),
    ).toEqual([
      [400, 'INVALID_REQUEST', { reason: 'the body must have one file' }],
      [400, 'MISSING_PARAMETER', { parameter: 'file' }],
      [400, 'INVALID_REQUEST', { fields: ['kind'] }],
      [400, 'INVALID_REQUEST', { reason: 'the body must be multipart/form-data' }],
      [400, 'INVALID_REQUEST', { reason: 'the file is empty' }],
    ]);
  });

  it('needs write:messages, and the reads need read:messages', async () => {
    const { id } = (await upload(gateway, png())).body.data;
    const key = await gateway.createKey({ scopes: ['read:status'] });
    expect((await upload(gateway, png(), { key })).body.error.details).toMatchObject({
      required_scope: 'write:messages',
    });
    expect((await gateway.api('GET', `/attachments/${id}`, undefined, { key })).status).toBe(403);
    expect((await content(gateway, id, {}, key)).status).toBe(403);
  });

  it('refuses a file above media.max_bytes, or above the rest of media.quota_bytes', async () => {
    const key = gateway.testKey;
    const change = (media: object) => gateway.api('PATCH', '/admin/settings', { media }, { key });
    await change({ max_bytes: 1_000, quota_bytes: 1_500 });
    const fits = png(1, 1, 1_000);
    expect((await upload(gateway, fits, { key })).status).toBe(201);
    // Identical bytes count once.
    expect((await upload(gateway, fits, { key })).status).toBe(201);
    const long = await upload(gateway, png(1, 1, 1_001), { key });
    const full = await upload(gateway, png(1, 1, 501), { key });
    expect([long, full].map(({ status, body }) => [status, body.error.details])).toEqual([
      [400, { reason: 'the file has more than 1000 bytes' }],
      [400, { reason: 'the media quota is used up' }],
    ]);
    const faults = await change({ max_bytes: 0, quota_bytes: 0 });
    expect([faults.status, faults.body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
    // The other environment has its own.
    expect((await upload(gateway, png(1, 1, 2_000))).status).toBe(201);
    expect((await files()).filter((file) => file.startsWith('incoming'))).toEqual([]);
  });

  it('may take longer than other requests, as long as bytes arrive', async () => {
    const server = gateway.app.getHttpServer();
    const { requestTimeout } = server;
    // As hostile-slow-requests.spec.ts shortens it: another request with a body as slow is refused.
    server.requestTimeout = 500;
    const file = '.'.repeat(12);
    const [head, tail] = [
      '--x\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n',
      '\r\n--x--\r\n',
    ];
    const begin = (path: string, type: string) =>
      new RawClient(gateway.url).write(
        `POST /api/v1${path} HTTP/1.1`,
        'Host: gateway',
        'Connection: close',
        `Authorization: Bearer ${gateway.liveKey}`,
        `Content-Type: ${type}`,
        `Content-Length: ${head.length + file.length + tail.length}`,
        '',
        head,
      );
    const slow = begin('/media', 'multipart/form-data; boundary=x');
    const other = begin('/messages/send', 'application/json');
    for (const byte of file) {
      await sleep(250);
      for (const { socket } of [slow, other]) if (!socket.readableEnded) socket.write(byte);
    }
    slow.write(tail);
    const [stored, refused] = await Promise.all([slow.answer(), other.answer()]);
    server.requestTimeout = requestTimeout;
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('took too long to arrive');
    expect([stored.status, JSON.parse(stored.body)]).toMatchObject([
      201,
      { data: { filename: 'slow.txt', size_bytes: file.length, sha256: sha256(Buffer.from(file)) } },
    ]);
  });

  it('stores the same bytes once, also for simultaneous uploads', async () => {
    const bytes = png(8, 8, 50_000);
    // A key may upload four at a time.
    const keys = await Promise.all([1, 2, 3].map(() => gateway.createKey({ scopes: ['write:messages'] })));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => upload(gateway, bytes, { key: keys[index % 3]! })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(12);
    const known = await gateway.sql(`SELECT size_bytes::int FROM media_files WHERE sha256 = $1`, [sha256(bytes)]);
    expect(known).toEqual([{ size_bytes: bytes.length }]);
    const [usage] = await gateway.sql(
      `SELECT bytes = (SELECT sum(size_bytes) FROM media_files WHERE environment = 'live') AS adds_up
       FROM media_usage WHERE environment = 'live'`,
    );
    expect(usage).toEqual({ adds_up: true });
    expect((await files()).filter((file) => file.endsWith(sha256(bytes)))).toHaveLength(1);
    const readers = await Promise.all(answers.map(({ body }) => content(gateway, body.data.id)));
    expect(readers.every((read) => read.bytes.equals(bytes))).toBe(true);
  });

  it.each([
    ['a path', '../../../etc/passwd', 'passwd'],
    ['a path of Windows', '..\\..\\autoexec.bat', 'autoexec.bat'],
    ['control characters', 'a\u0000b\u001b[31m.txt', 'ab[31m.txt'],
    ['a name that is shown backwards', '\u202etxt.exe', 'txt.exe'],
    ['Persian, with a non-joiner', 'می\u200cخواهم.pdf', 'می\u200cخواهم.pdf'],
    ['an emoji of several, joined', '👩\u200d💻.png', '👩\u200d💻.png'],
    ['joiners that join nothing', '\u200d \u200c', null],
    ['dots and spaces around it', '  .hidden. ', 'hidden'],
    ['marks that file systems refuse', '<b>"x"|y?*.html', '_b__x__y__.html'],
    ['letters of any script', '日本語.pdf', '日本語.pdf'],
    ['nothing but a path', '../..', null],
    ['5,000 characters', `${'n'.repeat(5_000)}.pdf`, `${'n'.repeat(251)}.pdf`],
    ['300 emoji', `${'😀'.repeat(300)}.png`, `${'😀'.repeat(251)}.png`],
  ])('sanitises a file name: %s', async (_, filename, cleaned) => {
    const { body } = await upload(gateway, png(), { filename });
    expect(body.data.filename).toBe(cleaned);
    const { status, headers } = await content(gateway, body.data.id);
    expect(status).toBe(200);
    const encoded = cleaned === null ? undefined : headers['content-disposition']!.split(`filename*=UTF-8''`)[1];
    expect(encoded && decodeURIComponent(encoded)).toBe(cleaned ?? undefined);
  });

  it('sanitises a name of 15,000 spaces in less than 50 ms', () => {
    for (const long of [' '.repeat(15_000), `a${' .'.repeat(7_500)}b`, '.'.repeat(15_000), '\u200d'.repeat(15_000)]) {
      const startedAt = process.cpuUsage();
      cleanFilename(`x${long}y`);
      const { user, system } = process.cpuUsage(startedAt);
      expect((user + system) / 1_000).toBeLessThan(50);
    }
  });

  it.each([
    ['PNG', png(2 ** 31, 1, 60)],
    ['PNG with two long sides', png(2 ** 32 - 1, 2 ** 32 - 1, 60)],
  ])('stores a picture with absurd dimensions in its header: %s', async (_, bytes) => {
    const { status, body } = await upload(gateway, bytes);
    expect([status, body.data]).toMatchObject([201, { kind: 'image', width: null, height: null }]);
  });

  it('recognises text in Windows-1252', async () => {
    const text = Buffer.from('Gr\xfc\xdfe aus K\xf6ln, \x80 5\r\n', 'latin1');
    expect((await upload(gateway, text, { filename: 'a.txt' })).body.data).toMatchObject({ mime_type: 'text/plain' });
    const page = Buffer.from('<html><body>\xfc', 'latin1');
    expect((await upload(gateway, page)).body.data).toMatchObject({ mime_type: 'text/html' });
  });

  const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  /** An upload that sends some bytes of its file and then waits. */
  function unfinished(key: string, bytes = 'x'.repeat(100)): RawClient {
    return new RawClient(gateway.url).write(
      'POST /api/v1/media HTTP/1.1',
      'Host: gateway',
      `Authorization: Bearer ${key}`,
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Length: 10000000',
      '',
      HEAD + bytes,
    );
  }

  it('allows a key 4 uploads at a time', async () => {
    const key = await gateway.createKey({ scopes: ['write:messages'] });
    const open = Array.from({ length: 4 }, () => unfinished(key));
    await eventually('all are under way', async () =>
      expect((await files()).filter((file) => file.startsWith('incoming'))).toHaveLength(4),
    );
    const { status, headers, body } = await upload(gateway, png(), { key });
    expect([status, body.error.code, body.error.details]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      { limit: 4, window_seconds: 1, retry_after_seconds: 1 },
    ]);
    expect(headers['retry-after']).toBe('1');
    expect((await upload(gateway, png())).status).toBe(201);
    open[0]!.socket.destroy();
    await eventually('another one is taken', async () =>
      expect((await upload(gateway, png(), { key })).status).toBe(201),
    );
    for (const { socket } of open) socket.destroy();
  });

  it('allows an environment 16 uploads at a time', async () => {
    const create = () => gateway.createKey({ scopes: ['write:messages'] });
    const keys = await Promise.all(Array.from({ length: 5 }, create));
    const open = keys.slice(1).flatMap((key) => Array.from({ length: 4 }, () => unfinished(key)));
    await eventually('all are under way', async () =>
      expect((await files()).filter((file) => file.startsWith('incoming'))).toHaveLength(16),
    );
    const { status, body } = await upload(gateway, png(), { key: keys[0]! });
    expect([status, body.error.code, body.error.details]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      { limit: 16, window_seconds: 1, retry_after_seconds: 1 },
    ]);
    expect((await upload(gateway, png(), { key: gateway.testKey })).status).toBe(201);
    open[0]!.socket.destroy();
    await eventually('another one is taken', async () =>
      expect((await upload(gateway, png(), { key: keys[0]! })).status).toBe(201),
    );
    for (const { socket } of open) socket.destroy();
  });

  it('counts bytes against the quota while they arrive', async () => {
    const { usage } = (
      await gateway.sql<{ usage: number }>(
        `SELECT coalesce((SELECT bytes FROM media_usage WHERE environment = 'test'), 0)::float8 AS usage`,
      )
    )[0]!;
    await gateway.api(
      'PATCH',
      '/admin/settings',
      { media: { max_bytes: 10_000_000, quota_bytes: usage + 1_000_000 } },
      { key: gateway.testKey },
    );
    const open = Array.from({ length: 3 }, () => unfinished(gateway.testKey, 'x'.repeat(400_000)));
    const refused = await Promise.race(open.map((client) => client.answer()));
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('the media quota is used up');
    await eventually('the disk holds no more than the quota', async () =>
      expect((await files()).filter((file) => file.startsWith('incoming')).length).toBeLessThan(3),
    );
    for (const { socket } of open) socket.destroy();
    await gateway.api('PATCH', '/admin/settings', { media: { quota_bytes: 10 ** 9 } }, { key: gateway.testKey });
  });

  it('refuses a small upload at once, and keeps the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const refuse = () =>
      new Promise<{ status: number; ms: number; port: number; close: boolean }>((resolve, reject) => {
        const startedAt = performance.now();
        const sent = request(
          `${gateway.url}/api/v1/media`,
          {
            agent,
            method: 'POST',
            headers: {
              authorization: `Bearer ${gateway.liveKey}`,
              'content-type': 'multipart/form-data; boundary=x',
            },
          },
          (answer) => {
            const port = answer.socket.localPort!;
            answer.resume().on('end', () =>
              resolve({
                status: answer.statusCode!,
                ms: performance.now() - startedAt,
                port,
                close: answer.headers.connection === 'close',
              }),
            );
          },
        );
        sent.on('error', reject);
        // In two pieces: the refusal is known after the first one.
        sent.write('--x\r\nContent-Disposition: form-data; name="kind"\r\n\r\nimage\r\n--x\r\n', () =>
          setImmediate(() => sent.end('Content-Disposition: form-data; name="b"\r\n\r\nx\r\n--x--\r\n')),
        );
      });
    const [first, second] = [await refuse(), await refuse()];
    agent.destroy();
    expect([first.status, second.status, first.close, second.close]).toEqual([400, 400, false, false]);
    expect(second.port).toBe(first.port);
    expect(Math.max(first.ms, second.ms)).toBeLessThan(1_000);
  });

  it('removes an interrupted upload', async () => {
    const before = await files();
    const abort = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
        controller.enqueue(Buffer.from(head + 'bytes'.repeat(1_000)));
        setTimeout(() => abort.abort(), 200);
      },
    });
    const sent = fetch(`${gateway.url}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'multipart/form-data; boundary=x' },
      body,
      signal: abort.signal,
      duplex: 'half',
    });
    await expect(sent).rejects.toThrow(/abort/);
    await eventually('nothing is left', async () => expect(await files()).toEqual(before));
  });
});

describe('GET /attachments/{id}/content', () => {
  it('serves bytes so that no browser runs them, with ranges and an ETag', async () => {
    const bytes = png(2, 2, 1_000);
    const { id } = (await upload(gateway, bytes, { filename: 'a.png' })).body.data;
    const whole = await content(gateway, id);
    expect([whole.status, whole.bytes.equals(bytes)]).toEqual([200, true]);
    const etag = `"${sha256(bytes)}"`;
    expect(whole.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '1000',
      'content-disposition': `attachment; filename="a.png"; filename*=UTF-8''a.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      etag,
    });
    const ranges = [
      'bytes=10-19',
      'bytes=990-',
      'bytes=-5',
      'bytes=0-5000',
      'bytes=5-1',
      'bytes=1000-',
      'x',
      'bytes=0-1,3-4',
    ];
    const parts = await Promise.all(ranges.map((range) => content(gateway, id, { range })));
    expect(parts.map((part) => [part.status, part.headers['content-range'], part.bytes.length])).toEqual([
      [206, 'bytes 10-19/1000', 10],
      [206, 'bytes 990-999/1000', 10],
      [206, 'bytes 995-999/1000', 5],
      [206, 'bytes 0-999/1000', 1_000],
      ...Array.from({ length: 4 }, () => [200, undefined, 1_000]),
    ]);
    expect(parts[0]!.bytes.equals(bytes.subarray(10, 20))).toBe(true);
    const known = await content(gateway, id, { 'if-none-match': etag });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
    const changed = await content(gateway, id, { range: 'bytes=0-1', 'if-range': '"other"' });
    expect(changed.status).toBe(200);
  });

  it.each([
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/png', 'image/svg+xml'],
    ['<?xml version="1.0"?>\n<!-- x -->\n<svg onload="alert(1)"/>', 'image/svg+xml', 'image/svg+xml'],
    ['<!DOCTYPE html><script>alert(1)</script>', 'image/jpeg', 'text/html'],
    ['\ufeff<HTML><body onload=alert(1)>', 'image/png', 'text/html'],
    ['MZ\u0000\u0003', 'image/png', 'application/x-msdownload'],
    ['\u0000\u0001\u0002', 'image/png', 'application/octet-stream'],
  ])('uses the type of the first bytes, never of name or header: %j', async (text, type, mimeType) => {
    const { body } = await upload(gateway, Buffer.from(text), { type, filename: '..\\..\\evil\r\n.png' });
    expect(body.data).toMatchObject({ kind: 'document', mime_type: mimeType, filename: 'evil.png' });
    const { headers } = await content(gateway, body.data.id);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-disposition']).toMatch(/^attachment; filename="evil\.png"/);
  });

  it('is not found for an unknown id, a malformed one, and one of the other environment', async () => {
    const { id } = (await upload(gateway, png())).body.data;
    const missing = ['att_01h455vb4pex5vsknk084sn02q', 'nonsense'];
    for (const unknown of missing) expect((await content(gateway, unknown)).status).toBe(404);
    expect((await content(gateway, id, {}, gateway.testKey)).status).toBe(404);
  });
});

describe('The hourly clean-up', () => {
  it('removes bytes without an attachment, and frees their quota', async () => {
    const bytes = png(3, 3, 300);
    const path = `live/${sha256(bytes).slice(0, 2)}/${sha256(bytes)}`;
    const used = async () =>
      Number(
        (await gateway.sql<{ bytes: string }>(`SELECT bytes FROM media_usage WHERE environment = 'live'`))[0]!.bytes,
      );
    const before = await used();
    const { id } = (await upload(gateway, bytes)).body.data;
    await age(60);
    await cleanUp();
    expect(await files()).toContain(path);
    await gateway.sql(`DELETE FROM attachments WHERE sha256 = $1`, [sha256(bytes)]);
    await cleanUp();
    expect(await files()).not.toContain(path);
    expect(await used()).toBe(before);
    expect((await content(gateway, id)).status).toBe(404);
  });

  it('removes an upload without a message after 24 hours, and files older than media.days', async () => {
    await gateway.api('PATCH', '/admin/settings', { media: { quota_bytes: 1_000_000 } }, { key: gateway.testKey });
    const [unused, used, old] = await Promise.all(
      [4, 5, 6].map(async (size) => (await upload(gateway, png(size, size, 400), { key: gateway.testKey })).body.data),
    );
    const send = (id: string) => {
      const body = { platform: 'telegram', recipient: '7', attachments: [{ id }] };
      return gateway.api('POST', '/messages/send', body, { key: gateway.testKey });
    };
    await Promise.all([send(used!.id), send(old!.id)]);
    await gateway.sql(
      `UPDATE attachments SET unused_since = unused_since - interval '25 hours' WHERE environment = 'test'`,
    );
    await gateway.sql(`UPDATE attachments SET created_at = created_at - interval '3 days' WHERE sha256 = $1`, [
      old!.sha256,
    ]);
    await gateway.api('PATCH', '/admin/settings', { media: { days: 2 } }, { key: gateway.testKey });
    await age(60);
    await cleanUp();
    const read = (id: string) => gateway.api<object>('GET', `/attachments/${id}`, undefined, { key: gateway.testKey });
    expect((await read(unused!.id)).status).toBe(404);
    expect((await read(used!.id)).body.data).toMatchObject({ status: 'stored' });
    expect((await read(old!.id)).body.data).toMatchObject({ status: 'expired', reason: 'retention' });
    const kept = (await files()).filter((file) => file.startsWith('test'));
    expect(kept.filter((file) => [unused, used, old].some((each) => file.endsWith(each!.sha256!)))).toEqual([
      `test/${used!.sha256!.slice(0, 2)}/${used!.sha256}`,
    ]);
  });
});
