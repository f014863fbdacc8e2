import { Module } from '@nestjs/common';
import { AccessControl } from './access-control';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { BootstrapKeys } from './bootstrap-keys';
import { KeyDirectory } from './key-directory';
import { KeyUsage } from './key-usage';

@Module({
  controllers: [ApiKeysController],
  providers: [KeyDirectory, AccessControl, BootstrapKeys, ApiKeysService, KeyUsage],
  exports: [AccessControl, BootstrapKeys, KeyUsage],
})
export class ApiKeysModule {}
