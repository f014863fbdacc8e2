import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { HttpClient } from './http-client';
import { type FormFile, multipart } from './multipart';

const file = (content: string, more: Partial<FormFile> = {}): FormFile => ({
  name: 'file',
  filename: 'a.txt',
  mimeType: 'text/plain',
  sizeBytes: Buffer.byteLength(content),
  open: () => Readable.from([Buffer.from(content)]),
  ...more,
});

describe(multipart.name, () => {
  const client = new HttpClient();
  let server: Server;
  let url: string;
  let react: (request: IncomingMessage, response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((request, response) => react(request, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });

  const post = (files: FormFile[], deadlineMs = 5_000) =>
    client.exchange({ method: 'POST', url, body: multipart({ chat_id: '7' }, files), deadlineMs });

  it('produces a form of the announced length that a server can read', async () => {
    const received = Promise.withResolvers<{ form: FormData; announced: string; length: number }>();
    react = (request, response) =>
      void buffer(request).then(async (body) => {
        const headers = { 'content-type': request.headers['content-type']! };
        const form = await new Response(body, { headers }).formData();
        received.resolve({ form, announced: request.headers['content-length']!, length: body.length });
        response.end();
      });
    await post([file('first'), file('x'.repeat(300_000), { name: 'two', filename: 'zwei "ü"\r\n.txt' })]);
    const { form, announced, length } = await received.promise;
    expect(announced).toBe(String(length));
    expect(form.get('chat_id')).toBe('7');
    const [first, second] = [form.get('file') as File, form.get('two') as File];
    expect([first.name, first.type, await first.text()]).toEqual(['a.txt', 'text/plain', 'first']);
    expect([second.name, second.size]).toEqual(['zwei "ü"\r\n.txt', 300_000]);
  });

  it('counts as written only after its last byte', async () => {
    react = (request) => void request.once('data', () => request.socket.destroy());
    // More than the sockets buffer.
    const large = file('', { sizeBytes: 50_000_000, open: () => Readable.from(chunks(50)) });
    await expect(post([large])).rejects.toMatchObject({ written: false });
    react = (request) => void buffer(request).then(() => request.socket.destroy());
    await expect(post([file('small')])).rejects.toMatchObject({ written: true });
    react = () => undefined;
    await expect(post([file('small')], 200)).rejects.toMatchObject({ written: true, message: /no answer within/ });
  });

  it.each<[string, FormFile]>([
    [
      'cannot be read',
      file('x', { open: () => new Readable({ read: (): never => void 0 as never }).destroy(new Error('no')) }),
    ],
    ['is shorter than announced', file('x', { sizeBytes: 2 })],
    ['is longer than announced', file('xyz', { sizeBytes: 2 })],
  ])('is not written if a file %s', async (_, broken) => {
    react = (request, response) =>
      void buffer(request).then(
        () => response.end(),
        () => undefined,
      );
    await expect(post([broken])).rejects.toMatchObject({ written: false });
  });
});

function* chunks(count: number): Generator<Buffer> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(1_000_000);
}
