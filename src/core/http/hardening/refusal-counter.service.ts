import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusals } from '../../rate-limiting/refusals.service';
import { CredentialsCheck } from '../credentials-check.port';
import type { ResponseListener } from '../lifecycle/on-response-sent';
import { isApi, routeOf } from '../lifecycle/request-context';

/** Statuses that count as refusals of a known key; unknown routes count, too. */
const OF_KEY: ReadonlySet<number> = new Set([401, 403, 429]);

/** Counts refused requests: per key, and per address without a valid key. Must be called before the audit trail. */
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
    // A look-up hashes the credentials, so there is at most one, and none if the guard has found no key.
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
    // The look-up of its key was refused, because the address is already over the limit.
    if (status === 429) return this.refusals.isOver(clientIp);
    // 400: a protocol error, refused before the key is read.
    const counts = status === 401 || status === 400 || routeOf(request) === undefined;
    return counts && !this.refusals.count(clientIp);
  }
}
