import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { PLATFORM_WORDS, type Platform } from '#contracts';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { IntegrationDto, ReconnectionDto } from './dto/integration.dto';
import { Integrations } from './integrations.service';
import { PlatformPipe } from './platform.pipe';

@ApiTags('Integrations')
@Controller({ path: 'integrations', version: '1' })
export class IntegrationsController {
  constructor(private readonly integrations: Integrations) {}

  @Get()
  @RequireScope('read:status')
  @ApiOperation({ summary: 'List the integrations' })
  @ApiEnvelope(IntegrationDto, { array: true })
  list(@CurrentCaller() { environment }: Caller) {
    return this.integrations.list(environment);
  }

  @Post(':platform/reconnect')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({ summary: 'Reconnect an integration' })
  @ApiParam({ name: 'platform', enum: PLATFORM_WORDS, description: 'The platform.' })
  @ApiEnvelope(ReconnectionDto)
  reconnect(@CurrentCaller() { environment }: Caller, @Param('platform', PlatformPipe) platform: Platform) {
    return this.integrations.reconnect(environment, platform);
  }
}
