import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DEFAULT_ACCOUNT, type AccountKey } from '#contracts';
import { DeploymentSecrets } from '../../core/secrets/deployment-secrets';

/** Identifies messages of erased conversations without storing their ids. */
@Injectable()
export class ErasedIds {
  constructor(private readonly secrets: DeploymentSecrets) {}

  digestOf({ environment, platform, account }: AccountKey, platformMessageId: string): Buffer {
    // Digests of the environment's account are those of the versions that had no other.
    const place = account === DEFAULT_ACCOUNT ? [platform] : [platform, account];
    const text = JSON.stringify(['erased message', environment, ...place, platformMessageId]);
    return createHmac('sha256', this.secrets.secretsKey).update(text).digest();
  }
}
