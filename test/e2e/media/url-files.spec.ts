import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attachment } from '#contracts';
import { LOCAL_RECEIVERS } from '../../fakes/receiver.fake';
import { startTestGateway, useGateway } from '../../support/gateway';
import { content, sha256 } from '../../support/media';
import { png } from '../../support/png';

interface Sent {
  message_id: string;
  status: string;
  error?: { code: string; message: string };
}

const BYTES = png(10, 20, 3_000);
const MAX_BYTES = 5_000;

/** The server's behaviour at a path. */
const SERVED: Readonly<Record<string, (response: ServerResponse, origin: string) => void>> = {
  '/announced': (response) => response.writeHead(200, { 'content-length': String(MAX_BYTES + 1) }).write('x'),
  '/endless': (response) => sendEndlessly(response.writeHead(200)),
  '/longer': (response) => response.socket!.end(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more`),
  '/empty': (response) => response.writeHead(200).end(),
  '/private': (response, origin) =>
    response.writeHead(302, { location: `${origin.replace('127.0.0.1', '127.0.0.2')}/secret` }).end(),
  '/loop': (response, origin) => response.writeHead(307, { location: `${origin}/loop` }).end(),
};

/** More bytes than a send accepts: without a length, until the client leaves. */
function sendEndlessly(response: ServerResponse): void {
  if (response.destroyed) return;
  if (response.write(Buffer.alloc(10_000, 'x'))) setImmediate(sendEndlessly, response);
  else response.once('drain', () => sendEndlessly(response));
}

const gateway = useGateway({ env: LOCAL_RECEIVERS });
let server: Server;
let origin: string;
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    asked.push(request.url!);
    const serve = SERVED[request.url!];
    if (serve) serve(response, origin);
    // It lies about the type and the name.
    else
      response
        .writeHead(200, {
          'content-type': 'video/mp4',
          'content-disposition': 'attachment; filename="../of-header.mp4"',
        })
        .end(BYTES);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => (asked = []));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const settings = (media: object) => gateway.api('PATCH', '/admin/settings', { media }, { key: gateway.testKey });
const send = (attachments: unknown, at = gateway) =>
  at.api<Sent>(
    'POST',
    '/messages/send',
    { platform: 'telegram', recipient: '7', message: 'look', attachments },
    { key: at.testKey },
  );
const fileOf = async ({ body }: Awaited<ReturnType<typeof send>>) => {
  const path = `/messages/${body.data.message_id}`;
  const read = await gateway.api<{ attachments: Attachment[] }>('GET', path, undefined, { key: gateway.testKey });
  return read.body.data.attachments[0]!;
};
const counts = () =>
  gateway.sql(
    `SELECT (SELECT count(*)::int FROM messages) AS messages, (SELECT count(*)::int FROM attachments) AS files`,
  );

describe('The file of a URL', () => {
  it('above the rest of media.quota_bytes makes the send INVALID_REQUEST: nothing is stored or sent', async () => {
    await settings({ quota_bytes: BYTES.length - 1 });
    const before = await counts();
    const { status, body } = await send([{ url: `${origin}/a.png` }]);
    expect([status, body.error.code, body.error.details]).toEqual([
      400,
      'INVALID_REQUEST',
      { reason: 'the media quota is used up' },
    ]);
    expect(asked).toEqual(['/a.png']);
    expect(await counts()).toEqual(before);
    await settings({ quota_bytes: 1_000_000 });
    expect((await send([{ url: `${origin}/a.png` }])).body.data.status).toBe('sent');
  });

  it.each([
    ['announces more than media.max_bytes', '/announced', /more than 5000 bytes/],
    ['never ends', '/endless', /more than 5000 bytes/],
    ['is empty', '/empty', /empty/],
    ['is a redirect to another address', '/private', /it answered 302/],
    ['is a redirect to itself', '/loop', /it answered 307/],
  ])('that %s fails the send, and is requested once', async (_, path, reason) => {
    await settings({ max_bytes: MAX_BYTES });
    const { body } = await send([{ url: origin + path }]);
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'attachment_unavailable' } });
    expect(body.data.error!.message).toMatch(reason);
    expect(asked).toEqual([path]);
  });

  it('that fails the send does not prevent its takeover of the conversation', async () => {
    const key = gateway.testKey;
    const attachments = [{ url: `${origin}/empty` }];
    const request = { platform: 'telegram', recipient: '8', attachments, options: { take_over: true } };
    const { body } = await gateway.api<Sent>('POST', '/messages/send', request, { key });
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'attachment_unavailable' } });
    const { body: found } = await gateway.api('GET', '/conversations?q=8', undefined, { key });
    expect(found.data).toMatchObject([{ handling: 'human' }]);
  });

  it('ends at the announced length, whatever the server sends after it', async () => {
    const file = await fileOf(await send([{ url: `${origin}/longer` }]));
    expect([file.size_bytes, file.sha256]).toEqual([5, sha256(Buffer.from('hello'))]);
  });

  it('has the kind and type of its first bytes: `kind` can only request a document', async () => {
    const named = [undefined, 'image', 'video', 'voice', 'sticker', 'location', 'document'];
    const kinds = await Promise.all(
      named.map(async (kind) => {
        const file = await fileOf(await send([{ url: `${origin}/film.mp4`, ...(kind && { kind }) }]));
        return [kind, file.kind, file.mime_type];
      }),
    );
    expect(kinds).toEqual(named.map((kind) => [kind, kind === 'document' ? 'document' : 'image', 'image/png']));
    const { status, body } = await send([{ url: `${origin}/film.mp4`, kind: 'archive' }]);
    expect([status, body.error.code, body.error.details?.['parameter']]).toEqual([
      400,
      'INVALID_PARAMETER',
      'attachments[0].kind',
    ]);
  });

  it.each([
    ['letters that are escaped', '/photos/caf%C3%A9.png', undefined, 'café.png'],
    ['an escaped path', '/%2e%2e%2f%2e%2e%5cpasswd', undefined, 'passwd'],
    ['lines of a header', '/a%0d%0aX-Evil:%20yes.png', undefined, 'aX-Evil_ yes.png'],
    ['a name that is shown backwards', '/%E2%80%AEgnp.exe', undefined, 'gnp.exe'],
    ['bytes that are no UTF-8', '/%ff%fe', undefined, '%ff%fe'],
    ['no name', '/', undefined, null],
    ['the path in its `filename`', '/a.png', '../../etc/passwd', 'passwd'],
    ['control characters in its `filename`', '/a.png', 'C:\\Windows\\evil\u0007\r\n.exe', 'evil.exe'],
    ['dots in its `filename`', '/a.png', '..', null],
    ['300 characters and an ending', `/${'n'.repeat(300)}.pdf`, undefined, `${'n'.repeat(251)}.pdf`],
    ['300 characters', `/${'n'.repeat(300)}`, undefined, 'n'.repeat(255)],
  ])('has a sanitised name: %s', async (_, path, filename, expected) => {
    const file = await fileOf(await send([{ url: origin + path, ...(filename !== undefined && { filename }) }]));
    expect(file.filename).toBe(expected);
    const { headers } = await content(gateway, file.id, {}, gateway.testKey);
    expect(headers['content-disposition']).toMatch(
      expected === null ? /^attachment$/ : /^attachment; filename="[^"\\/]+"; filename\*=UTF-8''[\w.%~-]+$/,
    );
    expect(headers).not.toHaveProperty('x-evil');
  });

  it('is never requested if the address guard refuses its address', async () => {
    const guarded = await startTestGateway();
    const port = new URL(origin).port;
    const hosts = ['127.0.0.1', '127.1', '0x7f000001', '2130706433', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0'];
    const urls = [...hosts.map((host) => `http://${host}:${port}/a`), 'http://169.254.169.254/latest/meta-data/'];
    const answers = await Promise.all(urls.map((url) => send([{ url }], guarded)));
    expect(answers.map(({ status, body }) => [status, body.error.code, body.error.details?.['parameter']])).toEqual(
      urls.map(() => [400, 'INVALID_PARAMETER', 'attachments[0].url']),
    );
    expect(asked).toEqual([]);
    await guarded.stop();
  });
});
