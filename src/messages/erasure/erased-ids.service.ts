import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Environment, Platform } from '#contracts';
import { DeploymentSecrets } from '../../core/secrets/deployment-secrets';

/** Identifies messages of erased conversations without storing their ids. */
@Injectable()
export class ErasedIds {
  constructor(private readonly secrets: DeploymentSecrets) {}

  digestOf(environment: Environment, platform: Platform, platformMessageId: string): Buffer {
    const text = JSON.stringify(['erased message', environment, platform, platformMessageId]);
    return createHmac('sha256', this.secrets.secretsKey).update(text).digest();
  }
}
