import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { Client } from 'undici';
import { LOCAL_RECEIVERS, ReceiverFake, type Reaction } from '../../../test/fakes/receiver.fake';
import { eventually } from '../../../test/support/eventually';
import { loadConfiguration } from '../config/load-configuration';
import { AddressGuard } from './address-guard.service';
import { ReceiverClient, REPLY_LIMIT_BYTES } from './receiver-client.service';

/** For what is only over when the time is up. */
const HURRIED = { WEBHOOK_TIMEOUT_SECONDS: '0.5' };
const BODY = '{"hello":"wörld"}';

describe(ReceiverClient.name, () => {
  const clients: ReceiverClient[] = [];
  let receiver: ReceiverFake;

  beforeAll(async () => void (receiver = await new ReceiverFake().start()));
  afterAll(() => receiver.stop());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.onApplicationShutdown();
  });

  function build(env: NodeJS.ProcessEnv = {}): { client: ReceiverClient; guard: AddressGuard } {
    const configuration = loadConfiguration({ ...LOCAL_RECEIVERS, ...env });
    const guard = new AddressGuard(configuration.webhooks);
    const client = new ReceiverClient(configuration, guard);
    clients.push(client);
    return { client, guard };
  }

  const post = (url = receiver.url(), signal?: AbortSignal) =>
    build().client.post(url, { 'x-test': '1' }, BODY, { signal });
  const isUnanswered = async (url?: string) => {
    const { responseCode } = await post(url);
    return responseCode === null || responseCode >= 500;
  };
  const react = (reaction: Reaction) => receiver.react(reaction);

  it('posts the exact body, over keep-alive connections', async () => {
    const { client } = build();
    const sockets = new Set<unknown>();
    react((request, response) => {
      sockets.add(request.socket);
      response.end('thanks');
    });
    for (let i = 0; i < 6; i++) {
      expect(await client.post(receiver.url(), {}, BODY)).toMatchObject({
        responseCode: 200,
        responseBody: 'thanks',
        fault: null,
      });
    }
    expect(receiver.posts.at(-1)!.raw).toBe(BODY);
    // A second one, where the first is still being handed back.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('keeps no connections to receivers that never answered', async () => {
    const open = new Set<Socket>();
    const silent = createServer((socket) => {
      open.add(socket.on('error', () => undefined).resume());
      socket.on('close', () => open.delete(socket));
    });
    await new Promise<void>((listening) => silent.listen(0, '0.0.0.0', listening));
    const { port } = silent.address() as AddressInfo;
    const { client } = build({ ...HURRIED, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
    const before = queryObjects(Client, { format: 'count' });
    const exchanges = Array.from({ length: 400 }, (_, index) =>
      client.post(`http://127.0.1.${1 + (index % 40)}:${port}/`, {}, BODY),
    );
    await Promise.all(exchanges);
    await eventually('every connection is closed', () => expect(open.size).toBe(0));
    // A look collects the garbage of the whole heap: on a busy machine each takes many seconds.
    await eventually(
      'the clients are gone',
      () => expect(queryObjects(Client, { format: 'count' })).toBeLessThanOrEqual(before),
      { timeoutMs: 60_000 },
    );
    silent.close();
  }, 120_000);

  it('does not follow redirects', async () => {
    react((_, response) => void response.writeHead(302, { location: receiver.url('/private') }).end());
    expect(await post()).toMatchObject({ responseCode: 302 });
    expect(receiver.postsTo('/private')).toEqual([]);
  });

  it('reads at most 4 KiB of a response, endless or not, and uses its status', async () => {
    let written = 0;
    react((_, response) => {
      const poll = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) written += 65_536;
        response.once('drain', poll);
      };
      poll();
    });
    const exchange = await post();
    expect(exchange).toMatchObject({ responseCode: 200, fault: null });
    expect(exchange.responseBody).toHaveLength(REPLY_LIMIT_BYTES);
    expect(written).toBeLessThan(20_000_000);
  });

  it('cuts off a slow response at the timeout, and uses its status', async () => {
    react((_, response) => {
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const exchange = await build(HURRIED).client.post(receiver.url(), {}, BODY);
    expect(exchange).toMatchObject({ responseCode: 200, fault: null });
    expect(exchange.responseTimeMs).toBeGreaterThanOrEqual(490);
    expect(exchange.responseTimeMs).toBeLessThan(10_000);
  });

  it('does not decompress a response', async () => {
    // Packed beforehand: packing may take longer than the receiver has.
    const packed = gzipSync(Buffer.alloc(50_000_000));
    react((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    expect((await post()).responseBody!.length).toBeLessThanOrEqual(REPLY_LIMIT_BYTES);
  });

  it('stops waiting for a silent receiver at the timeout', async () => {
    react(() => undefined);
    const exchange = await build(HURRIED).client.post(receiver.url(), {}, BODY);
    expect(exchange).toMatchObject({ responseCode: null, fault: 'Timeout: no complete answer within 0.5 seconds' });
    expect(exchange.responseTimeMs).toBeLessThan(10_000);
  });

  it('treats a reset, a refused connection, an unknown name and endless headers as temporary', async () => {
    react((request) => void request.socket.resetAndDestroy());
    expect(await isUnanswered()).toBe(true);
    react((request) => void request.socket.end());
    expect(await isUnanswered()).toBe(true);
    react((_, response) => void response.writeHead(200, { 'x-large': 'x'.repeat(100_000) }).end());
    expect(await isUnanswered()).toBe(true);
    expect(await isUnanswered('http://127.0.0.1:1/')).toBe(true);
    expect(await isUnanswered('http://nobody.invalid/')).toBe(true);
  });

  it('reports TLS errors, and retries', async () => {
    const exchange = await post(receiver.url().replace('http:', 'https:'));
    expect(exchange).toMatchObject({ responseCode: null, fault: expect.stringMatching(/SSL|TLS/) });
  });

  it.each([
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['says nothing more after half a status line', 'HTTP/1.1 2'],
  ])('retries if a server %s', async (_, text) => {
    const server = await rawServer((socket) => socket.end(text));
    expect(await isUnanswered(`http://127.0.0.1:${(server.address() as { port: number }).port}/`)).toBe(true);
    server.close();
  });

  it('never connects to a forbidden address, literal or resolved', async () => {
    const before = receiver.posts.length;
    const port = new URL(receiver.url()).port;
    const { client, guard } = build({ WEBHOOK_ALLOWED_CIDRS: '' });
    guard.resolve = (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    for (const host of ['127.0.0.1', 'innocent.test', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]']) {
      const exchange = await client.post(`http://${host}:${port}/`, {}, BODY);
      expect(exchange).toMatchObject({ responseCode: null, refused: true, fault: 'address not allowed' });
    }
    expect(receiver.posts).toHaveLength(before);
  });

  it('connects to the address that it checked, even if the name resolves differently the second time', async () => {
    const before = receiver.posts.length;
    const { client, guard } = build({ WEBHOOK_ALLOWED_CIDRS: '' });
    const answers = ['8.8.8.8', '127.0.0.1'];
    guard.resolve = (_hostname, _options, callback) => callback(null, [{ address: answers.shift()!, family: 4 }]);
    const url = `http://rebinding.test:${new URL(receiver.url()).port}/`;
    expect(await guard.urlFault(url)).toBeUndefined();
    expect(await client.post(url, {}, BODY)).toMatchObject({ refused: true });
    expect(receiver.posts).toHaveLength(before);
  });

  it('posts from its source addresses in turn', async () => {
    const { client } = build({ WEBHOOK_EGRESS_ADDRESSES: '127.0.0.2,127.0.0.3' });
    const sources: string[] = [];
    react((request, response) => {
      sources.push(request.socket.remoteAddress!);
      response.writeHead(200, { connection: 'close' }).end();
    });
    for (let i = 0; i < 4; i++) await client.post(receiver.url(), {}, BODY);
    expect(sources).toEqual(['127.0.0.2', '127.0.0.3', '127.0.0.2', '127.0.0.3']);
  });

  it('rejects when its signal aborts', async () => {
    react(() => undefined);
    const stop = new AbortController();
    const reason = new Error('stopping');
    setTimeout(() => stop.abort(reason), 50);
    await expect(post(receiver.url(), stop.signal)).rejects.toBe(reason);
    await expect(post(receiver.url(), stop.signal)).rejects.toBe(reason);
  });
});

async function rawServer(onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onSocket(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
