import { Module } from '@nestjs/common';
import { AccessControl } from './access-control.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { BootstrapKeys } from './bootstrap-keys.service';
import { ApiKeyCache } from './api-key-cache.service';
import { KeyUsage } from './key-usage.service';

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeyCache, AccessControl, BootstrapKeys, ApiKeysService, KeyUsage],
  exports: [AccessControl, BootstrapKeys, KeyUsage],
})
export class ApiKeysModule {}
