import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialsCheck } from '../core/http/credentials-check.port';
import { RateLimiter } from '../core/rate-limiting/rate-limiter.service';
import { ApiKeyCache } from './api-key-cache.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { BootstrapKeys } from './bootstrap-keys.service';
import { ApiKeyCredentialsCheck } from './credentials-check.service';
import { Retention } from '../core/events/retention.service';
import { ApiKeyUsageEntity } from './entities/api-key-usage.entity';
import { ApiKeyEntity } from './entities/api-key.entity';
import { AccessDeclarations } from './guards/access-declarations.service';
import { THROTTLERS } from './guards/api-throttler.guard';
import { KeyUsageController } from './usage/key-usage.controller';
import { KeyUsage } from './usage/key-usage.service';
import { KeyUsageRecorder } from './usage/key-usage-recorder.service';
import { DashboardController } from './sign-in/dashboard.controller';
import { SignInCode } from './sign-in/sign-in-code.service';

/** How long the use of keys is kept, in days: the API shows at most 90. */
const KEY_DAYS = 92;

/** Global for `CredentialsCheck`, a port of core: other features check keys without importing this one. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forFeature([ApiKeyEntity, ApiKeyUsageEntity]),
    ThrottlerModule.forRootAsync({
      inject: [RateLimiter],
      useFactory: (storage: RateLimiter) => ({ throttlers: THROTTLERS, storage }),
    }),
  ],
  controllers: [ApiKeysController, KeyUsageController, DashboardController],
  providers: [
    AccessDeclarations,
    ApiKeyCache,
    ApiKeysService,
    BootstrapKeys,
    KeyUsage,
    KeyUsageRecorder,
    SignInCode,
    { provide: CredentialsCheck, useClass: ApiKeyCredentialsCheck },
  ],
  exports: [BootstrapKeys, CredentialsCheck, KeyUsageRecorder, SignInCode],
})
export class ApiKeysModule {
  constructor(retention: Retention) {
    retention.keepDays(KEY_DAYS, (rows, before) =>
      rows.createQueryBuilder(ApiKeyUsageEntity, 'old').where('old.hour < :before', { before }),
    );
  }
}
