import { Global, Module } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { ClusterModule } from '../cluster/cluster.module';
import { Configuration } from '../config/configuration';
import { DeploymentSecrets } from '../secrets/deployment-secrets';
import { Refusals } from './refusals.service';
import { LimiterStorage } from './limiter-storage.service';
import { LocalLimiter } from './local-limiter';
import { RateLimiter } from './sliding-window';
import { RedisLimiter } from './redis-limiter';

/** Provides `RateLimiter`: in Redis for all instances, or in the process without Redis. `LimiterStorage` adapts it to the throttler. */
@Global()
@Module({
  imports: [ClusterModule],
  providers: [
    Refusals,
    LimiterStorage,
    {
      provide: RateLimiter,
      inject: [Configuration, Clock, DeploymentSecrets],
      useFactory: ({ redisUrl }: Configuration, clock: Clock, { namespace }: DeploymentSecrets): RateLimiter => {
        const local = new LocalLimiter(clock);
        return redisUrl === undefined ? local : new RedisLimiter(redisUrl, namespace, local);
      },
    },
  ],
  exports: [Refusals, LimiterStorage, RateLimiter],
})
export class RateLimitingModule {}
