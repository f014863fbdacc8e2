import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Configuration } from '../config/configuration';
import { DeploymentSecrets, loadDeploymentSecrets } from './deployment-secrets';
import { RestoreTime } from './restore-time.service';
import { DeploymentEntity } from './deployment.entity';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([DeploymentEntity])],
  providers: [
    RestoreTime,
    { provide: DeploymentSecrets, inject: [Configuration, DataSource], useFactory: loadDeploymentSecrets },
  ],
  exports: [DeploymentSecrets, RestoreTime],
})
export class SecretsModule {}
