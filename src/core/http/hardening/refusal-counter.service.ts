import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddressRefusals } from '../../rate-limiting/address-refusals.service';
import { CredentialsCheck } from '../credentials-check.port';
import type { ResponseListener } from '../lifecycle/on-response-sent';
import { isApi, routeOf } from '../lifecycle/request-context';

/** Counts the requests that were refused without a valid key, by address. To be told before the audit trail. */
@Injectable()
export class RefusalCounter implements ResponseListener {
  constructor(
    private readonly refusals: AddressRefusals,
    private readonly credentials: CredentialsCheck,
  ) {}

  answered(request: FastifyRequest, { statusCode }: FastifyReply): void {
    const { gateway } = request;
    if (gateway.caller && statusCode !== 401) return;
    if (isApi(request) && this.isOneTooMany(request, statusCode)) gateway.sharesAuditRow = true;
  }

  private isOneTooMany(request: FastifyRequest, status: number): boolean {
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
