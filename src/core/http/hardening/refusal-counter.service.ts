import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusals } from '../../rate-limiting/refusals.service';
import { CredentialsCheck } from '../credentials-check.port';
import type { ResponseListener } from '../lifecycle/on-response-sent';
import { isApi, routeOf } from '../lifecycle/request-context';

/** Refusals of a known key. */
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
    const { caller } = gateway;
    const isKeyOver = caller && OF_KEY.has(statusCode) && !this.refusals.countOfKey(caller.keyId);
    const isAddressOver = (!caller || statusCode === 401) && this.isAddressOver(request, statusCode);
    if (isKeyOver || isAddressOver) gateway.sharesAuditRow = true;
  }

  private isAddressOver(request: FastifyRequest, status: number): boolean {
    const { clientIp, credentials } = request.gateway;
    if (status !== 401 && credentials && this.credentials.cached(credentials.text)) return false;
    if (request.method === 'OPTIONS') return !this.refusals.countPreflight(clientIp);
    // Its look-up was refused because the address is over the limit already.
    if (status === 429) return this.refusals.isOver(clientIp);
    // 400: a fault of the protocol, which is refused before the key is read.
    const counts = status === 401 || status === 400 || routeOf(request) === undefined;
    return counts && !this.refusals.count(clientIp);
  }
}
