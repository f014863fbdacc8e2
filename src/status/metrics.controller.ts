import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isEqualInConstantTime } from '#contracts';
import { Configuration } from '../core/config/configuration';
import { Public } from '../core/http/access.decorator';
import { ApiError } from '../core/http/lifecycle/api-error';
import { Metrics } from '../core/observability/metrics.service';

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** For Prometheus: requires METRICS_TOKEN as a bearer token; without a token, it answers only programs on this machine. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly configuration: Configuration,
  ) {}

  @Get()
  @Public()
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!this.mayRead(request)) throw ApiError.invalidKey();
    await reply.type(this.metrics.registry.contentType).send(await this.metrics.text());
  }

  private mayRead(request: FastifyRequest): boolean {
    const { metricsToken } = this.configuration;
    if (metricsToken === undefined) return isLocal(request);
    return isEqualInConstantTime(request.headers.authorization ?? '', `Bearer ${metricsToken}`);
  }
}

/**
 * Whether a program on this machine asks. Not if a header shows that a proxy on this machine forwards the request, or if a
 * trusted proxy does. The host must be a loopback address or `localhost`: a page in a browser on this machine may ask by a
 * name that its author points at 127.0.0.1 (DNS rebinding).
 */
function isLocal({ gateway, headers }: FastifyRequest): boolean {
  if (!LOOPBACK_HOST.test(headers.host ?? '')) return false;
  const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name));
  return gateway.isClientIpKnown && !isForwarded && ipaddr.process(gateway.clientIp).range() === 'loopback';
}
