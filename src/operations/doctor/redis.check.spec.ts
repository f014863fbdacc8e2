import { Redis } from 'ioredis';
import { RedisFake } from '../../../test/fakes/redis.fake';
import { startRedis, redisOnPath, type TestRedis } from '../../../test/support/redis';
import { RedisCheck } from './redis.check';

/** The findings as lines of text. */
async function linesOf(url: string | undefined, timeoutMs?: number): Promise<string[]> {
  const found = await new RedisCheck(url, timeoutMs).check();
  return found.map(({ name, message }) => `${name}: ${message}`);
}

describe(RedisCheck.name, () => {
  it('reports that Redis is not configured', async () => {
    expect(await linesOf(undefined)).toEqual(['redis: not configured: queues are in PostgreSQL, limits in process']);
  });

  it('reports a server that does not respond', async () => {
    expect(await linesOf('redis://127.0.0.1:9')).toEqual(['redis.unreachable: connect ECONNREFUSED 127.0.0.1:9']);
  });

  describe('with a fake server', () => {
    const server = new RedisFake();
    beforeAll(() => server.start());
    afterAll(() => server.stop());

    it.each([
      [{ rdb_last_bgsave_status: 'err' }, 'redis.refuses-writes: The last attempt to write to disk failed'],
      [{ aof_last_write_status: 'err' }, 'redis.refuses-writes: The last attempt to write to disk failed'],
    ])('reports a fault in INFO with %j', async (said, line) => {
      const usual = server.info;
      server.info = { ...usual, ...said };
      expect(await linesOf(server.url)).toEqual([line]);
      server.info = usual;
    });
  });

  const describeRedis = redisOnPath() ? describe : describe.skip;
  describeRedis('with a server', () => {
    let server: TestRedis;
    let admin: Redis;

    beforeAll(async () => {
      server = (await startRedis())!;
      admin = new Redis(server.url);
      await admin.config('SET', 'save', '3600 1');
    });
    afterAll(async () => {
      admin.disconnect();
      await server.stop();
    });

    const with_ = async (name: string, value: string, usual: string): Promise<string[]> => {
      await admin.config('SET', name, value);
      const lines = await linesOf(server.url);
      await admin.config('SET', name, usual);
      return lines;
    };

    it('reports version and policy of a healthy server', async () => {
      expect(await linesOf(server.url)).toEqual([expect.stringMatching(/^redis: Redis \d+\.\d.*, noeviction$/)]);
    });

    it('reports a server that may evict keys', async () => {
      expect(await with_('maxmemory-policy', 'allkeys-lru', 'noeviction')).toEqual([
        'redis.eviction: maxmemory-policy is allkeys-lru',
      ]);
    });

    it('reports a server whose memory is nearly used up', async () => {
      const used = /used_memory:(\d+)/.exec(await admin.info('memory'))![1];
      expect(await with_('maxmemory', String(Number(used) + 20_000), '0')).toEqual([
        expect.stringMatching(/^redis\.memory: \d+ % of maxmemory is used$/),
      ]);
    });

    it('reports a wrong password, and a user without permissions', async () => {
      await admin.config('SET', 'requirepass', 'the right one');
      const wrong = await linesOf(server.url.replace('//', '//:wrong@'));
      const none = await linesOf(server.url);
      await admin.config('SET', 'requirepass', '');
      await admin.call('ACL', 'SETUSER', 'weak', 'on', '>weak', '+ping');
      const weak = await linesOf(server.url.replace('//', '//weak:weak@'));
      expect([...wrong, ...none, ...weak]).toEqual([
        expect.stringMatching(/^redis\.unreachable: .*WRONGPASS/),
        expect.stringMatching(/^redis\.unreachable: .*NOAUTH/),
        expect.stringMatching(/^redis\.unreachable: .*NOPERM/),
      ]);
    });

    it('reports a replica', async () => {
      await admin.replicaof('127.0.0.1', 9);
      const lines = await linesOf(server.url);
      await admin.replicaof('NO', 'ONE');
      expect(lines).toContain('redis.refuses-writes: The server is a replica');
    });

    it('stops waiting for a server that hangs', async () => {
      server.pause();
      const lines = await linesOf(server.url, 300);
      server.resume();
      expect(lines).toEqual(['redis.unreachable: Command timed out']);
    });
  });
});
