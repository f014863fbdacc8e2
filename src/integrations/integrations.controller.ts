import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { PLATFORM_WORDS, type Platform } from '#contracts';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../core/openapi/api-errors.decorator';
import { DocumentedParam } from '../core/openapi/documented-param.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { IntegrationDto, ReconnectionDto } from './dto/integration.dto';
import { Integrations } from './integrations.service';
import { PlatformPipe } from './platform.pipe';

const PlatformParam = () =>
  DocumentedParam('platform', PlatformPipe, {
    description: 'Name of the platform; `the service` is an alias for `telegram`.',
    schema: { type: 'string', enum: [...PLATFORM_WORDS], example: 'telegram' },
  });

@ApiTags('Integrations')
@Controller({ path: 'integrations', version: '1' })
export class IntegrationsController {
  constructor(private readonly integrations: Integrations) {}

  @Get()
  @RequireScope('read:status')
  @ApiOperation({
    summary: 'List the integrations',
    description: 'Returns the platforms with their accounts, connection status, and health of receiving and sending.',
  })
  @ApiEnvelope(IntegrationDto, { array: true })
  list(@CurrentCaller() { environment }: Caller) {
    return this.integrations.list(environment);
  }

  @Post(':platform/reconnect')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Reconnect an integration',
    description:
      'Closes the connection to a platform and opens a new one. If the platform is reconnecting already, the call only ends the pause before the next attempt.',
  })
  @ApiEnvelope(ReconnectionDto)
  @ApiErrors('PLATFORM_NOT_CONNECTED')
  reconnect(@CurrentCaller() { environment }: Caller, @PlatformParam() platform: Platform) {
    return this.integrations.reconnect(environment, platform);
  }
}
