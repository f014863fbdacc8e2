import { EventEmitter, once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { cutSlowReaders, type ReadingLimits } from './slow-readers';

/** Longer than the system's buffers. */
const LONG = 'x'.repeat(32 * 1_048_576);
/** The limits that a test does not exercise. */
const FAR_MS = 60_000;
const FAR: ReadingLimits = { unreadMs: FAR_MS, endedMs: FAR_MS, readingMs: FAR_MS, leastBytesPerMs: 1_000_000 };

describe(cutSlowReaders.name, () => {
  let server: FastifyInstance;
  let client: Socket;
  const answers = new EventEmitter();
  let laterAsked: PromiseWithResolvers<void>;
  let answerLater: PromiseWithResolvers<string>;

  beforeEach(() => {
    laterAsked = Promise.withResolvers();
    answerLater = Promise.withResolvers();
  });
  afterEach(async () => {
    client.destroy();
    await server.close();
  });

  /** A client that asks for a long answer. @returns the server's socket, whose close is what the tests wait for */
  async function ask(limits: Partial<ReadingLimits>, path: string): Promise<Socket> {
    server = fastify({ forceCloseConnections: true });
    cutSlowReaders(server, { ...FAR, ...limits });
    server.get('/text', () => LONG);
    server.addHook('onSend', (_request, _reply, payload, done) => {
      done(null, payload);
      answers.emit('sent');
    });
    server.get('/later', async (_request, reply) => {
      laterAsked.resolve();
      return reply.type('application/json').send(JSON.stringify([await answerLater.promise]));
    });
    await server.listen({ port: 0 });
    const accepted = once(server.server, 'connection') as Promise<[Socket]>;
    client = connect({ port: (server.server.address() as AddressInfo).port, allowHalfOpen: true });
    client.on('error', () => undefined).pause();
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return (await accepted)[0];
  }

  it('disconnects a client that reads nothing', async () => {
    const socket = await ask({ unreadMs: 100 }, '/text');
    await once(socket, 'close');
    expect(socket.bytesWritten).toBeLessThan(LONG.length * 2);
  });

  it('disconnects sooner a client that has closed its side', async () => {
    const socket = await ask({ endedMs: 100 }, '/text');
    client.end();
    await once(socket, 'close');
  });

  it('gives a client that has closed its side no more time when the response arrives', async () => {
    const socket = await ask({ endedMs: 100 }, '/later');
    await laterAsked.promise;
    client.end();
    await once(socket, 'end');
    answerLater.resolve(LONG);
    await once(socket, 'close');
  });

  it('sets no timer for a response whose client is gone', async () => {
    const socket = await ask({ readingMs: 100 }, '/later');
    await laterAsked.promise;
    client.destroy();
    await once(socket, 'close');
    const destroy = jest.spyOn(socket, 'destroy');
    const sent = once(answers, 'sent');
    answerLater.resolve(LONG);
    await sent;
    // Longer than the timer, which would have begun before.
    await sleep(200);
    expect(destroy).not.toHaveBeenCalled();
  });

  it('disconnects a client that reads below the minimum rate', async () => {
    const socket = await ask({ readingMs: 200 }, '/text');
    // A little at a time: the client is never silent for long.
    const reading = setInterval(() => client.read(1_000), 20);
    client.on('readable', () => undefined);
    await once(socket, 'close').finally(() => clearInterval(reading));
  });

  it('does not disconnect a client that reads', async () => {
    await ask({ unreadMs: 2_000, endedMs: 2_000, readingMs: 20_000 }, '/text');
    let bytes = 0;
    client.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    while (bytes < LONG.length) await once(client, 'data');
    expect(client.destroyed).toBe(false);
  });
});
