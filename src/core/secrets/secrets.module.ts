import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Configuration } from '../config/configuration';
import { DeploymentSecrets, loadDeploymentSecrets } from './deployment-secrets';

@Global()
@Module({
  providers: [{ provide: DeploymentSecrets, inject: [Configuration, DataSource], useFactory: loadDeploymentSecrets }],
  exports: [DeploymentSecrets],
})
export class SecretsModule {}
