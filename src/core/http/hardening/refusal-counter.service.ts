import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusals } from '../../rate-limiting/refusals.service';
import { CredentialsCheck } from '../credentials-check.port';
import type { ResponseListener } from '../lifecycle/on-response-sent';
import { isApi, routeOf } from '../lifecycle/request-context';

/** Refusals of a known key, beside those of unknown routes. */
const OF_KEY: ReadonlySet<number> = new Set([401, 403, 429]);

/** Counts refused requests, by address without a valid key, and by key. To be told before the audit trail. */
@Injectable()
export class RefusalCounter implements ResponseListener {
  constructor(
    private readonly refusals: Refusals,
    private readonly credentials: CredentialsCheck,
  ) {}

  answered(request: FastifyRequest, { statusCode }: FastifyReply): void {
    if (!isApi(request)) return;
    const { gateway } = request;
    const { caller, credentials } = gateway;
    const isUnknownRoute = routeOf(request) === undefined;
    const isUnauthorized = statusCode === 401;
    // A look-up hashes the credentials: there is one at most, and none where the guard has found no key.
    const cached =
      caller || (isUnauthorized && !isUnknownRoute)
        ? undefined
        : credentials && this.credentials.cached(credentials.text);
    // An unknown route looks up no key, and no limit of requests applies to it.
    const known = caller ?? (isUnknownRoute ? cached : undefined);
    const isOfKey = OF_KEY.has(statusCode) || isUnknownRoute;
    const isKeyOver = known && isOfKey && !this.refusals.countOfKey(known.keyId);
    const isOfAddress = isUnauthorized || !(caller ?? cached);
    const isAddressOver = isOfAddress && this.isAddressOver(request, statusCode);
    if (isKeyOver || isAddressOver) gateway.sharedAuditRow = { caller: caller ?? cached };
  }

  private isAddressOver(request: FastifyRequest, status: number): boolean {
    const { clientIp } = request.gateway;
    if (request.method === 'OPTIONS') return !this.refusals.countPreflight(clientIp);
    // Its look-up was refused because the address is over the limit already.
    if (status === 429) return this.refusals.isOver(clientIp);
    // 400: a fault of the protocol, which is refused before the key is read.
    const counts = status === 401 || status === 400 || routeOf(request) === undefined;
    return counts && !this.refusals.count(clientIp);
  }
}
