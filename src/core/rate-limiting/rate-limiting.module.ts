import { Global, Module } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { ClusterModule } from '../cluster/cluster.module';
import { Configuration } from '../config/configuration';
import { DeploymentSecrets } from '../secrets/deployment-secrets';
import { Refusals } from './refusals.service';
import { RateLimiter } from './rate-limiter.service';
import { SharedLimits } from './shared-limits';

@Global()
@Module({
  imports: [ClusterModule],
  providers: [
    Refusals,
    {
      provide: RateLimiter,
      inject: [Configuration, Clock, DeploymentSecrets],
      useFactory: ({ redisUrl }: Configuration, clock: Clock, { namespace }: DeploymentSecrets) =>
        new RateLimiter(clock, redisUrl === undefined ? undefined : new SharedLimits(redisUrl, namespace)),
    },
  ],
  exports: [Refusals, RateLimiter],
})
export class RateLimitingModule {}
