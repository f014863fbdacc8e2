import { eventually } from '../support/eventually';
import { GatewayProcess } from '../support/process';
import { redisOnPath, startRedis, type TestRedis } from '../support/redis';
import { BreakablePostgres } from './breakable-postgres';
import { Deployment } from './deployment';

const itWithRedis = redisOnPath() ? it : it.skip;

describe('a start without its dependencies', () => {
  /** Whatever a test started, last started first ended. */
  const started: { stop(): Promise<unknown> }[] = [];
  const toStop = <T extends { stop(): Promise<unknown> }>(thing: T): T => {
    started.unshift(thing);
    return thing;
  };
  afterEach(async () => {
    for (const thing of started.splice(0)) await thing.stop();
  });

  const cacheOf = async (instance: GatewayProcess): Promise<string> => {
    const { body } = await instance.api<{ components: { cache: string } }>('GET', '/status');
    return body.data.components.cache;
  };

  const startsWithout = async (fault: string, redis: TestRedis, back: () => Promise<unknown>) => {
    const deployment = toStop(await Deployment.create({ env: { REDIS_URL: redis.url } }));
    const instance = await deployment.startInstance();
    process.stdout.write(`  ${fault}: ready after ${instance.readyMs} ms\n`);
    await deployment.register(instance);
    await deployment.send(instance);
    expect((await deployment.allArrive()).most).toBe(1);
    expect(await cacheOf(instance)).toBe('degraded');
    await back();
    await eventually('Redis is used', async () => expect(await cacheOf(instance)).toBe('healthy'), {
      timeoutMs: 20_000,
    });
  };

  itWithRedis(
    'serves without Redis, and uses it when it comes',
    async () => {
      const redis = (await startRedis())!;
      await redis.stop();
      await startsWithout('Redis away at the start', redis, async () => toStop((await startRedis(redis.port))!));
    },
    90_000,
  );

  itWithRedis(
    'serves while Redis hangs',
    async () => {
      const redis = toStop((await startRedis())!);
      redis.pause();
      await startsWithout('Redis frozen at the start', redis, () => Promise.resolve(redis.resume()));
    },
    90_000,
  );

  it('waits for PostgreSQL, which may be starting too', async () => {
    const postgres = toStop(await BreakablePostgres.start());
    await postgres.crash();
    const deployment = toStop(await Deployment.create({ databaseUrl: postgres.url }));
    const starting = deployment.startInstance();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await postgres.restart();
    const instance = await starting;
    expect((await instance.api('GET', '/health/ready')).status).toBe(200);
  }, 90_000);

  it('ends with one clear line if PostgreSQL stays unavailable', async () => {
    const startedAt = performance.now();
    const instance = await GatewayProcess.spawn({
      env: { DATABASE_URL: 'postgres://gateway:a-password@127.0.0.1:9/gateway', LOG_LEVEL: 'error' },
    });
    expect(await instance.exited).toEqual({ code: 1, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(instance.output.trim()).toBe(
      'The gateway could not start: The database cannot be reached: connect ECONNREFUSED 127.0.0.1:9',
    );
  }, 90_000);
});
