import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../core/clock/clock.service';
import { CredentialsCheck } from '../core/http/credentials-check.port';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Caller, RequestContext } from '../core/http/lifecycle/request-context';
import { noteEnvironment } from '../core/observability/tracing/work-context';
import { ApiKeyCache, UNKNOWN, type CachedApiKey } from './api-key-cache.service';
import { statusOf } from './key-record';
import { LookupQueue } from './lookup-queue';
import { Refusals } from '../core/rate-limiting/refusals.service';
import { assertAdmitted } from './policy/admission';

declare module '../core/http/lifecycle/request-context' {
  interface RequestContext {
    /** The row of `caller`. */
    apiKey?: CachedApiKey;
  }
}

/** Checks the credentials of a request: the key is known, neither revoked nor expired, and allowed at the client's address. */
@Injectable()
export class ApiKeyCredentialsCheck extends CredentialsCheck {
  private readonly lookups: LookupQueue<CachedApiKey | typeof UNKNOWN>;

  constructor(
    private readonly keys: ApiKeyCache,
    private readonly clock: Clock,
    refusals: Refusals,
  ) {
    super();
    this.lookups = new LookupQueue(refusals);
  }

  override check({ gateway }: FastifyRequest): void | Promise<void> {
    const { credentials, clientIp } = gateway;
    if (!credentials) throw ApiError.invalidKey();
    const cached = this.keys.cached(credentials.text);
    if (cached) return this.admit(gateway, cached);
    const found = this.lookups.run(clientIp, credentials.text, () => this.keys.lookUp(credentials.text));
    return found.then((key) => this.admit(gateway, key));
  }

  override checkLastKnown({ gateway }: FastifyRequest): boolean {
    const known = gateway.credentials && this.keys.lastKnown(gateway.credentials.text);
    if (known) this.admit(gateway, known);
    return known !== undefined;
  }

  override cached(credentials: string): Caller | undefined {
    const key = this.keys.lastKnown(credentials);
    if (!key) return undefined;
    const now = this.clock.now();
    return statusOf(key, now) === 'active' && !hasEnded(key.valueEndsAt, now) ? key : undefined;
  }

  private admit(gateway: RequestContext, key: CachedApiKey | typeof UNKNOWN): void {
    if (key === UNKNOWN) throw ApiError.invalidKey();
    gateway.apiKey = key;
    gateway.caller = key;
    noteEnvironment(key.environment);
    const now = this.clock.now();
    if (hasEnded(key.valueEndsAt, now)) throw ApiError.invalidKey();
    assertAdmitted(key, gateway.clientIp, now);
    // The address of the proxy may be among those of the key, but the proxy asks for a client that it does not name.
    if (!gateway.isClientIpKnown && key.allowedIps.length > 0) {
      throw new ApiError('IP_NOT_ALLOWED', { request_ip: gateway.clientIp, allowed_ips: key.allowedIps });
    }
  }
}

function hasEnded(end: Date | null, now: number): boolean {
  return end !== null && end.getTime() <= now;
}
