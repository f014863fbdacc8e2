import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CredentialsCheck } from '../core/http/credentials-check.port';
import { LimiterStorage } from '../core/rate-limiting/limiter-storage.service';
import { ApiKeyCache } from './api-key-cache.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { BootstrapKeys } from './bootstrap-keys.service';
import { ApiKeyCredentialsCheck } from './credentials-check.service';
import { ApiKeyEntity } from './entities/api-key.entity';
import { AccessDeclarations } from './guards/access-declarations.service';
import { THROTTLERS } from './guards/api-throttler.guard';
import { KeyUsage } from './key-usage.service';
import { DashboardController } from './sign-in/dashboard.controller';
import { SignInCode } from './sign-in/sign-in-code.service';

/** Global for `CredentialsCheck`, a port of core: other features check keys without importing this one. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forFeature([ApiKeyEntity]),
    ThrottlerModule.forRootAsync({
      inject: [LimiterStorage],
      useFactory: (storage: LimiterStorage) => ({ throttlers: THROTTLERS, storage }),
    }),
  ],
  controllers: [ApiKeysController, DashboardController],
  providers: [
    AccessDeclarations,
    ApiKeyCache,
    ApiKeysService,
    BootstrapKeys,
    KeyUsage,
    SignInCode,
    { provide: CredentialsCheck, useClass: ApiKeyCredentialsCheck },
  ],
  exports: [BootstrapKeys, CredentialsCheck, KeyUsage, SignInCode],
})
export class ApiKeysModule {}
