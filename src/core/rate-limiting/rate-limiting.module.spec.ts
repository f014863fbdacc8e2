import { Test } from '@nestjs/testing';
import { redisOnPath, startRedis } from '../../../test/support/redis';
import { ClockModule } from '../clock/clock.module';
import { ConfigModule } from '../config/config.module';
import { loadConfiguration } from '../config/load-configuration';
import { RateLimitingModule } from './rate-limiting.module';
import { LocalLimiter } from './local-limiter';
import { RedisLimiter } from './redis-limiter';
import { TestSecretsModule } from '../../../test/support/test-secrets';
import { RateLimiter } from './sliding-window';

async function startModule(env: NodeJS.ProcessEnv) {
  const module = await Test.createTestingModule({
    imports: [ConfigModule.forRoot(loadConfiguration(env)), ClockModule, TestSecretsModule, RateLimitingModule],
  }).compile();
  return module.init();
}

describe(RateLimitingModule.name, () => {
  it('counts in the process without Redis', async () => {
    const module = await startModule({});
    expect(module.get(RateLimiter)).toBeInstanceOf(LocalLimiter);
    await module.close();
  });
});

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describeWithRedis('RateLimitingModule with Redis', () => {
  it('counts in Redis from the first request on', async () => {
    const redis = (await startRedis())!;
    const module = await startModule({ REDIS_URL: redis.url });
    const limiter = module.get(RateLimiter);
    expect(limiter).toBeInstanceOf(RedisLimiter);
    expect((limiter as RedisLimiter).healthy).toBe(true);
    expect(await limiter.hit('key', [{ limit: 2, seconds: 60 }])).toMatchObject({ allowed: true, remaining: 1 });
    await module.close();
    await redis.stop();
  });
});
