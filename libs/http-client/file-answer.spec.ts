import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { HttpClient } from './http-client';
import { TransportError } from './transport-error';

const LIMITS = { silenceMs: 1_000, bytesPerSecond: 1_000 };

describe('a file from a server', () => {
  const sockets = new Set<Socket>();
  const client = new HttpClient();
  let server: Server;
  let url: string;
  let react: (socket: Socket) => void;

  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.on('data', () => react(socket));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`;
  });
  afterAll(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const answering = (body: string, announced?: number) => (socket: Socket) =>
    void socket.write(
      `HTTP/1.1 200 OK\r\n${announced === undefined ? '' : `content-length: ${announced}\r\n`}\r\n${body}`,
    );
  const whole = async (sizeBytes?: number, limits = LIMITS) =>
    buffer((await client.file({ url, ...limits, sizeBytes })).body);

  it('is read completely', async () => {
    react = answering('hello', 5);
    const patient = { ...LIMITS, silenceMs: 60_000 };
    expect((await whole(undefined, patient)).toString()).toBe('hello');
    expect((await whole(5, patient)).toString()).toBe('hello');
  });

  it.each<[what: string, reaction: (socket: Socket) => void, words: RegExp, size: number | undefined]>([
    [
      'is cut off',
      (socket) => (answering('hel', 5)(socket), setTimeout(() => socket.destroy(), 20)),
      /download ended after 3/,
      undefined,
    ],
    ['stops', answering('hel', 5), /too slow, received 3 bytes/, undefined],
    ['is shorter than another answer told', answering('hello', 5), /expected 6 bytes/, 6],
    ['is longer than another answer told', answering('hello', 5), /expected 4 bytes/, 4],
    ['has no length and ends early', (socket) => (answering('hel')(socket), socket.end()), /expected 5 bytes/, 5],
    ['never begins', () => undefined, /no answer within 1000 ms/, undefined],
  ])('that %s is an error without the URL', async (_, reaction, words, size) => {
    react = reaction;
    const error: unknown = await whole(size).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect((error as Error).message).toMatch(words);
    expect(String((error as Error).stack)).not.toContain('secret');
  });

  it('that arrives too slowly is an error, even without a long silence', async () => {
    react = (socket) => {
      answering('', 100_000)(socket);
      const drops = setInterval(() => socket.write('.'), 20);
      socket.once('close', () => clearInterval(drops));
    };
    await expect(whole()).rejects.toThrow(/too slow/);
  });

  it('may be read slowly: only time spent waiting for the server counts', async () => {
    react = answering('x'.repeat(200_000), 200_000);
    const { body } = await client.file({ url, ...LIMITS });
    await new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.silenceMs));
    expect(await buffer(body)).toHaveLength(200_000);
  });

  it('closes its connection when the reader stops or aborts', async () => {
    const closed = Promise.withResolvers<void>();
    react = (socket) => (answering('hel', 5)(socket), socket.once('close', () => closed.resolve()));
    (await client.file({ url, ...LIMITS, silenceMs: 60_000 })).body.destroy();
    await closed.promise;
    const ended = new AbortController();
    const { body } = await client.file({ url, ...LIMITS, silenceMs: 60_000, signal: ended.signal });
    ended.abort();
    await expect(buffer(body)).rejects.toThrow(/download ended/);
  });
});
