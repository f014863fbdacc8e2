import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isEqualInConstantTime } from '#contracts';
import { Configuration } from '../core/config/configuration';
import { Public } from '../core/http/access.decorator';
import { ApiError } from '../core/http/lifecycle/api-error';
import { Metrics } from '../core/observability/metrics.service';

const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** For Prometheus: with METRICS_TOKEN as a bearer token; if none is set, from this machine only. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly configuration: Configuration,
  ) {}

  @Get()
  @Public()
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!this.mayRead(request)) throw ApiError.invalidKey();
    await reply.type(this.metrics.registry.contentType).send(await this.metrics.registry.metrics());
  }

  private mayRead(request: FastifyRequest): boolean {
    const { metricsToken } = this.configuration;
    if (metricsToken === undefined) return isLocal(request);
    return isEqualInConstantTime(request.headers.authorization ?? '', `Bearer ${metricsToken}`);
  }
}

/** A proxy on this machine passes on requests of others: one that says so is none of this machine's. */
function isLocal({ gateway, headers }: FastifyRequest): boolean {
  const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name));
  return gateway.isClientIpKnown && !isForwarded && ipaddr.process(gateway.clientIp).range() === 'loopback';
}
