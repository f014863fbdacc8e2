import { Module } from '@nestjs/common';
import { AccessControl } from './access-control';
import { BootstrapKeys } from './bootstrap-keys';
import { KeyDirectory } from './key-directory';

@Module({
  providers: [KeyDirectory, AccessControl, BootstrapKeys],
  exports: [AccessControl, BootstrapKeys],
})
export class ApiKeysModule {}
