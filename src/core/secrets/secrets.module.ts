import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Configuration } from '../config/configuration';
import { DeploymentSecrets, loadDeploymentSecrets } from './deployment-secrets';
import { DeploymentEntity } from './deployment.entity';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([DeploymentEntity])],
  providers: [{ provide: DeploymentSecrets, inject: [Configuration, DataSource], useFactory: loadDeploymentSecrets }],
  exports: [DeploymentSecrets],
})
export class SecretsModule {}
