import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Configuration } from '../config/configuration';
import { DeploymentSecrets, loadDeploymentSecrets } from './deployment-secrets';
import { SecretBox } from './secret-box.service';
import { RestoreTime } from './restore-time.service';
import { DeploymentEntity } from './deployment.entity';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([DeploymentEntity])],
  providers: [
    RestoreTime,
    SecretBox,
    { provide: DeploymentSecrets, inject: [Configuration, DataSource], useFactory: loadDeploymentSecrets },
  ],
  exports: [DeploymentSecrets, RestoreTime, SecretBox],
})
export class SecretsModule {}
