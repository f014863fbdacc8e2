import { Global, Module } from '@nestjs/common';
import { DeploymentSecrets } from '../../src/core/secrets/deployment-secrets';

export const TEST_SECRETS = new DeploymentSecrets(Buffer.from('pepper'), Buffer.alloc(32));

/** Provides secrets without a database. */
@Global()
@Module({ providers: [{ provide: DeploymentSecrets, useValue: TEST_SECRETS }], exports: [DeploymentSecrets] })
export class TestSecretsModule {}
