import { Siblings } from '../../core/cluster/siblings.service';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { SkipThrottle, Throttle, ThrottlerModule } from '@nestjs/throttler';
import { ClockModule } from '../../core/clock/clock.module';
import { ErrorFilter } from '../../core/http/lifecycle/error.filter';
import { Metrics } from '../../core/observability/metrics.service';
import { installRequestHooks } from '../../core/http/lifecycle/request-hooks';
import { Clock } from '../../core/clock/clock.service';
import type { Window } from '../../core/rate-limiting/limit';
import { RateLimiter } from '../../core/rate-limiting/rate-limiter.service';
import type { CachedApiKey } from '../api-key-cache.service';
import { SettingsService } from '../../core/settings/settings.service';
import { ApiThrottlerGuard, THROTTLERS } from './api-throttler.guard';

@Controller()
class PlainController {
  @Get('plain')
  plain() {}

  @Get('other')
  other() {}

  @Get('unlimited')
  @SkipThrottle()
  unlimited() {}

  @Get('strict')
  @Throttle({ default: { limit: 1, ttl: 30_000 } })
  strict() {}

  @Get('one-window')
  @Throttle({ default: { limit: () => Promise.resolve(7), ttl: 5_000 } })
  oneWindow() {}
}

@Controller('skipped')
@SkipThrottle()
class SkippedController {
  @Get('unlimited')
  unlimited() {}

  @Get('limited')
  @SkipThrottle({ default: false })
  limited() {}
}

/** Records its calls. */
class RecordingLimiter extends RateLimiter {
  asked: { key: string; windows: readonly Window[] }[] = [];

  override hit(key: string, windows: readonly Window[]) {
    this.asked.push({ key, windows });
    return super.hit(key, windows);
  }
}

const limiter = new RecordingLimiter(new Clock());

@Module({ providers: [{ provide: RateLimiter, useValue: limiter }], exports: [RateLimiter] })
class LimiterModule {}

const MINUTE = { limit: 2, seconds: 60 };
const HOUR = { limit: 3, seconds: 3_600 };

describe(ApiThrottlerGuard, () => {
  let app: NestFastifyApplication;
  let keyId: string | undefined;

  beforeAll(async () => {
    const throttler = ThrottlerModule.forRootAsync({
      imports: [LimiterModule],
      inject: [RateLimiter],
      useFactory: (storage: RateLimiter) => ({ throttlers: THROTTLERS, storage }),
    });
    const module = await Test.createTestingModule({
      imports: [ClockModule, throttler],
      controllers: [PlainController, SkippedController],
      providers: [
        { provide: APP_GUARD, useClass: ApiThrottlerGuard },
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: SettingsService, useValue: {} },
        Metrics,
        Siblings,
      ],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    const fastify = app.getHttpAdapter().getInstance();
    installRequestHooks(fastify, app.get(Clock));
    // Stands in for ApiKeyGuard.
    fastify.addHook('onRequest', (request, _reply, done) => {
      if (keyId) request.gateway.apiKey = { keyId, windows: [MINUTE, HOUR] } as CachedApiKey;
      done();
    });
    await app.init();
  });

  afterAll(() => app.close());

  /** @param key undefined: the request has no credentials, as for a public handler */
  async function get(path: string, key: string | undefined) {
    keyId = key;
    limiter.asked = [];
    const { statusCode, headers } = await app.inject({ url: path });
    const remaining = headers['x-ratelimit-remaining'];
    return { status: statusCode, remaining, asked: limiter.asked };
  }

  it('counts all handlers together, in both windows', async () => {
    const asked = [{ key: 'key:a', windows: [MINUTE, HOUR] }];
    expect(await get('/plain', 'a')).toEqual({ status: 200, remaining: '1', asked });
    expect(await get('/other', 'a')).toEqual({ status: 200, remaining: '0', asked });
    expect(await get('/plain', 'a')).toEqual({ status: 429, remaining: '0', asked });
  });

  it('does not limit a handler with @SkipThrottle()', async () => {
    expect(await get('/unlimited', 'c')).toEqual({ status: 200, remaining: undefined, asked: [] });
    expect(await get('/skipped/unlimited', 'c')).toEqual({ status: 200, remaining: undefined, asked: [] });
    expect(await get('/skipped/limited', 'c')).toMatchObject({ status: 200, remaining: '1' });
  });

  it("uses the window of @Throttle instead of the key's, and counts the handler separately", async () => {
    const windows = [{ limit: 1, seconds: 30 }];
    expect(await get('/strict', 'e')).toEqual({
      status: 200,
      remaining: '0',
      asked: [{ key: 'key:e:PlainController.strict', windows }],
    });
    expect(await get('/strict', 'e')).toMatchObject({ status: 429 });
    expect(await get('/plain', 'e')).toMatchObject({ status: 200, remaining: '1' });
  });

  it('accepts a limit that @Throttle computes', async () => {
    const { asked } = await get('/one-window', 'f');
    expect(asked).toEqual([{ key: 'key:f:PlainController.oneWindow', windows: [{ limit: 7, seconds: 5 }] }]);
  });

  it('does not limit a request without a key', async () => {
    expect(await get('/plain', undefined)).toEqual({ status: 200, remaining: undefined, asked: [] });
    expect(await get('/strict', undefined)).toEqual({ status: 200, remaining: undefined, asked: [] });
  });
});
