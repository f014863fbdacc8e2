import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../core/clock/clock.service';
import { CredentialsCheck } from '../core/http/credentials-check.port';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { RequestContext } from '../core/http/lifecycle/request-context';
import { isAllowedIp } from './allowed-ips';
import { ApiKeyCache, type CachedApiKey } from './api-key-cache.service';

declare module '../core/http/lifecycle/request-context' {
  interface RequestContext {
    /** The row of `caller`. */
    apiKey?: CachedApiKey;
  }
}

/** Checks the credentials of a request: the key is known, neither revoked nor expired, and allowed at the client's address. */
@Injectable()
export class ApiKeyCredentialsCheck extends CredentialsCheck {
  constructor(
    private readonly keys: ApiKeyCache,
    private readonly clock: Clock,
  ) {
    super();
  }

  override check({ gateway }: FastifyRequest): void | Promise<void> {
    const { credentials } = gateway;
    if (!credentials) throw ApiError.invalidKey();
    const found = this.keys.find(credentials.text);
    return found instanceof Promise ? found.then((key) => this.admit(gateway, key)) : this.admit(gateway, found);
  }

  private admit(gateway: RequestContext, key: CachedApiKey | undefined): void {
    if (!key) throw ApiError.invalidKey();
    const { id: keyId, environment, scopes, allowedIps, expiresAt } = key;
    gateway.apiKey = key;
    gateway.caller = { keyId, environment, scopes };
    if (key.isRevoked) throw ApiError.invalidKey();
    if (expiresAt && expiresAt.getTime() <= this.clock.now()) {
      throw new ApiError('API_KEY_EXPIRED', { expired_at: expiresAt.toISOString() });
    }
    if (!isAllowedIp(gateway.clientIp, allowedIps)) {
      throw new ApiError('IP_NOT_ALLOWED', { request_ip: gateway.clientIp, allowed_ips: allowedIps });
    }
  }
}
