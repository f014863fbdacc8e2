import { Siblings } from '../core/cluster/siblings.service';
import { EventEmitter, once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '#contracts';
import { ApiError, RateLimitError } from '../core/http/lifecycle/api-error';
import { LiveStream } from './live-stream';
import {
  LiveStreams,
  STREAMS_OF_LIVE,
  STREAMS_PER_INSTANCE,
  turnMs,
  UNREAD_OF_ALL,
  UNREAD_OF_STREAM,
} from './live-streams.service';

type Check = (request: FastifyRequest) => void | Promise<void>;

/** The streams of an instance; the test runs their jobs. */
function makeSut(check: Check) {
  const jobs = new Map<string, () => Promise<unknown>>();
  const every = (name: string, _ms: number, batch: () => Promise<unknown>) => void jobs.set(name, batch);
  const nothing = () => undefined;
  const feed = { onEvents: nothing, start: nothing, stop: nothing, ready: nothing };
  const sut = new LiveStreams(feed as never, { check } as never, { every } as never, new Siblings(), {
    read: () => undefined,
  } as never);
  sut.onModuleInit();
  const open = (text: string, clientIp = '127.0.0.1', environment: Environment = 'live') => {
    const request = { gateway: { credentials: { text }, clientIp, isClientIpKnown: true } } as FastifyRequest;
    const socket = { bytesWritten: 0, writableLength: 0 };
    const raw = Object.assign(new EventEmitter(), { writableLength: 0, socket });
    const caller = { keyId: text, environment } as never;
    const stream = new LiveStream(request, raw as unknown as FastifyReply['raw'], caller, new Set());
    stream.on('error', () => undefined);
    void sut.admit(stream);
    return stream;
  };
  const checkKeys = () => jobs.get('Event stream key check')!();
  const claimRoom = (keyId: string, environment: Environment = 'live') => sut.claimRoom({ keyId, environment });
  return { open, claimRoom, checkKeys };
}

/** How many bytes the client of a stream has read. */
const readsOf = (stream: LiveStream) => stream['raw'].socket as unknown as { bytesWritten: number };
const told = (stream: LiveStream) => String(stream.read());
const tooManyLookUps = () =>
  new RateLimitError('address', { limit: 60, window_seconds: 60, retry_after_seconds: 1 }, 'Too many.');

describe(turnMs, () => {
  it.each([
    [1, 50],
    [100, 50],
    [200, 100],
    [1_000, 150],
  ])('with %d streams is %d ms', (streams, ms) => expect(turnMs(streams)).toBe(ms));
});

describe(LiveStreams, () => {
  it('checks a key once for all its streams from one address, and ends all of them', async () => {
    const checked: string[] = [];
    const { open, checkKeys } = makeSut(({ gateway: { credentials, clientIp } }) => {
      checked.push(`${credentials!.text} at ${clientIp}`);
      if (credentials!.text === 'revoked') throw ApiError.invalidKey();
    });
    const ended = [open('revoked'), open('revoked'), open('revoked', '192.0.2.1')];
    const kept = [open('valid'), open('valid')];
    await checkKeys();
    expect(checked).toEqual(['revoked at 127.0.0.1', 'revoked at 192.0.2.1', 'valid at 127.0.0.1']);
    for (const stream of ended) expect(told(stream)).toContain('event: end\ndata: {"code":"INVALID_API_KEY"}');
    for (const stream of kept) expect([told(stream), stream.isOver]).toEqual([': connected\n\n', false]);
  });

  it.each([
    ['a full queue of look-ups', tooManyLookUps],
    ['a database that does not answer', () => new Error('Connection terminated')],
  ])('does not end a stream because of %s', async (_, fault) => {
    let isRevoked = false;
    const { open, checkKeys } = makeSut(() => Promise.reject(isRevoked ? ApiError.invalidKey() : fault()));
    const stream = open('key');
    await checkKeys();
    expect(stream.isOver).toBe(false);
    isRevoked = true;
    await checkKeys();
    expect(stream.isOver).toBe(true);
  });

  it('allows 1,000 streams in all, and another when one ends', async () => {
    const { open, claimRoom } = makeSut(() => undefined);
    const streams = Array.from({ length: STREAMS_PER_INSTANCE }, (_, index) => open(`key ${index % 200}`));
    expect(streams).toHaveLength(1_000);
    await expect(claimRoom('another')).rejects.toThrow(
      expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', details: expect.objectContaining({ limit: 1_000 }) }),
    );
    streams[0]!.destroy();
    await once(streams[0]!, 'close');
    await claimRoom('another');
  });

  it('reserves 500 streams for live keys, and gives a test key the slot of a test stream that ends', async () => {
    const { open, claimRoom } = makeSut(() => undefined);
    const openTest = (index: number) => open(`test key ${index % 200}`, undefined, 'test');
    const streams = Array.from({ length: STREAMS_PER_INSTANCE - STREAMS_OF_LIVE }, (_, index) => openTest(index));
    await expect(claimRoom('another', 'test')).rejects.toThrow(
      expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', details: expect.objectContaining({ limit: 500 }) }),
    );
    for (let index = 0; index < STREAMS_OF_LIVE; index += 1) {
      await claimRoom(`live key ${index}`);
      open(`live key ${index}`);
    }
    await expect(claimRoom('one live key more')).rejects.toThrow(
      expect.objectContaining({ details: expect.objectContaining({ limit: 1_000 }) }),
    );
    streams[0]!.destroy();
    await once(streams[0]!, 'close');
    await claimRoom('another', 'test');
  });

  it('closes the streams that read nothing for the longest time when all together have too much unread', async () => {
    const { open, checkKeys } = makeSut(() => undefined);
    const fill = (stream: LiveStream, bytes: number) => stream.send(Buffer.alloc(bytes - stream.unread));
    const streams = Array.from({ length: UNREAD_OF_ALL / UNREAD_OF_STREAM }, (_, index) => {
      const stream = open(`key ${index}`);
      fill(stream, UNREAD_OF_STREAM - 1);
      return stream;
    });
    await checkKeys();
    expect(streams.filter(({ destroyed }) => destroyed)).toEqual([]);
    fill(open('one more'), UNREAD_OF_STREAM / 2);
    const idle = streams[7]!;
    for (const stream of streams) if (stream !== idle) readsOf(stream).bytesWritten += 1_000;
    const closed = once(idle, 'close').catch(() => undefined);
    await checkKeys();
    expect(streams.filter(({ destroyed }) => destroyed)).toEqual([idle]);
    await closed;
  });
});
