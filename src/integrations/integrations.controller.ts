import { Controller, Get, HttpCode, Injectable, Param, Post, type PipeTransform } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { parsePlatform, PLATFORM_WORDS, type Platform } from '#contracts';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Caller } from '../core/http/lifecycle/request-context';
import { IntegrationDto, ReconnectionDto } from './dto/integration.dto';
import { Integrations } from './integrations.service';

@Injectable()
class PlatformPipe implements PipeTransform<string, Platform> {
  transform(word: string): Platform {
    const platform = parsePlatform(word);
    if (!platform) throw ApiError.notFound('platform', word);
    return platform;
  }
}

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
