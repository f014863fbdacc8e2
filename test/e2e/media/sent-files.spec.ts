import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attachment } from '#contracts';
import { LOCAL_RECEIVERS } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { sha256, upload } from '../../support/media';
import { png } from '../../support/png';

interface Sent {
  message_id: string;
  status: string;
  error?: { code: string; message: string };
}

const gateway = useGateway({ env: LOCAL_RECEIVERS });
let server: Server;
let origin: string;
const served = png(10, 20, 3_000);

beforeAll(async () => {
  await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } }, { key: gateway.testKey });
  server = createServer((request, response) => {
    if (request.url === '/moved') return response.writeHead(302, { location: '/a.png' }).end();
    if (request.url === '/cut')
      return response
        .writeHead(200, { 'content-length': '9999' })
        .end(served.subarray(0, 50), () => response.destroy());
    if (request.url === '/none') return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': 'text/html' }).end(served);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const send = (attachments: unknown, message?: string) =>
  gateway.api<Sent>(
    'POST',
    '/messages/send',
    { platform: 'telegram', recipient: '7', ...(message !== undefined && { message }), attachments },
    { key: gateway.testKey },
  );
const read = async (id: string) =>
  (
    await gateway.api<{ content: string; attachments: Attachment[] }>('GET', `/messages/${id}`, undefined, {
      key: gateway.testKey,
    })
  ).body.data;

describe('A send with attachments', () => {
  it('sends an uploaded file repeatedly under one id, with or without a caption', async () => {
    const { data: file } = (await upload(gateway, png(), { key: gateway.testKey })).body;
    for (const message of ['Your receipt.', undefined]) {
      const { status, body } = await send([{ id: file.id }], message);
      expect([status, body.data.status]).toEqual([200, 'sent']);
      expect(await read(body.data.message_id)).toMatchObject({ content: message ?? '', attachments: [file] });
      await eventually('its events have the file', async () => {
        const rows = await gateway.sql<{ body: string }>(`SELECT body FROM events WHERE body LIKE $1 ORDER BY id`, [
          `%${body.data.message_id}%`,
        ]);
        const events = rows.map((row) => JSON.parse(row.body) as { type: string; data: object });
        expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered']);
        for (const { data } of events) expect(data).toMatchObject({ attachments: [file] });
      });
    }
    const [row] = await gateway.sql(`SELECT unused_since FROM attachments WHERE sha256 = $1`, [file.sha256]);
    expect(row).toEqual({ unused_since: null });
  });

  it('fetches the file of a URL, and determines its kind by the first bytes', async () => {
    const plain = await send([{ url: `${origin}/a.png` }], 'look');
    const named = await send([{ url: `${origin}/a.png`, kind: 'document', filename: 'b.png' }]);
    const shown = await Promise.all([plain, named].map(({ body }) => read(body.data.message_id)));
    expect(shown.map(({ attachments: [file] }) => [file!.kind, file!.filename, file!.mime_type, file!.sha256])).toEqual(
      [
        ['image', 'a.png', 'image/png', sha256(served)],
        ['document', 'b.png', 'image/png', sha256(served)],
      ],
    );
  });

  it('sends an uploaded file under another name, and as a document', async () => {
    const { data: file } = (await upload(gateway, png(), { key: gateway.testKey, filename: 'a.png' })).body;
    const items = [{ filename: '../b.png' }, { kind: 'document' }, { kind: 'video', filename: 'a.png' }];
    const sent = await Promise.all(items.map((item) => send([{ id: file.id, ...item }])));
    const shown = await Promise.all(sent.map(({ body }) => read(body.data.message_id)));
    expect(shown.map(({ attachments: [shownFile] }) => shownFile)).toEqual([
      { ...file, id: expect.stringMatching(/^att_/) as string, filename: 'b.png' },
      { ...file, id: expect.stringMatching(/^att_/) as string, kind: 'document' },
      file,
    ]);
  });

  it.each([
    ['/none', /it answered 404/],
    ['/moved', /it answered 302/],
    ['/cut', /connection broke/],
  ])('fails, with an event, if the file cannot be fetched: %s', async (path, reason) => {
    const { body } = await send([{ url: origin + path }], 'look');
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'attachment_unavailable', retryable: true } });
    expect(body.data.error!.message).toMatch(reason);
    const [event] = await gateway.sql<{ type: string }>(`SELECT type FROM events WHERE body LIKE $1`, [
      `%${body.data.message_id}%`,
    ]);
    expect(event).toEqual({ type: 'message.failed' });
  });

  it('refuses unknown attachments, and too many', async () => {
    const live = (await upload(gateway, png())).body.data.id;
    const answers = await Promise.all(
      [
        [{ id: 'att_01h455vb4pex5vsknk084sn02q' }],
        [{ id: live }],
        [{ id: 'nonsense' }],
        [{}],
        [{ id: live, url: `${origin}/a.png` }],
        [{ url: 'ftp://example.com/a' }],
        [{ url: 'http://10.0.0.1/a' }],
        Array.from({ length: 11 }, () => ({ id: live })),
      ].map((attachments) => send(attachments, 'look')),
    );
    expect(answers.map(({ status, body }) => [status, body.error.code, body.error.details?.['parameter']])).toEqual([
      [400, 'INVALID_PARAMETER', 'attachments[0].id'],
      [400, 'INVALID_PARAMETER', 'attachments[0].id'],
      [400, 'INVALID_PARAMETER', 'attachments[0].id'],
      [400, 'INVALID_PARAMETER', 'attachments[0]'],
      [400, 'INVALID_PARAMETER', 'attachments[0]'],
      [400, 'INVALID_PARAMETER', 'attachments[0].url'],
      [400, 'INVALID_PARAMETER', 'attachments[0].url'],
      [400, 'INVALID_PARAMETER', 'attachments'],
    ]);
    const nothing = await send([]);
    expect([nothing.status, nothing.body.error.details]).toEqual([400, { parameter: 'message' }]);
  });
});

describe('POST /sandbox/inbound with attachments', () => {
  it('simulates a message with uploaded files', async () => {
    const { data: file } = (await upload(gateway, png(), { key: gateway.testKey })).body;
    const inbound = { platform: 'telegram', sender: { id: '9' }, attachments: [{ id: file.id }] };
    const { status, body } = await gateway.api<{ message_id: string }>('POST', '/sandbox/inbound', inbound, {
      key: gateway.testKey,
    });
    expect(status).toBe(200);
    expect(await read(body.data.message_id)).toMatchObject({ content: '[image]', attachments: [file] });
    const rows = await gateway.sql<{ type: string }>(`SELECT type FROM events WHERE body LIKE $1 ORDER BY id`, [
      `%${body.data.message_id}%`,
    ]);
    expect(rows.map(({ type }) => type)).toEqual(['message.received', 'attachment.stored']);
  });
});
