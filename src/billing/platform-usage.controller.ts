import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { PlatformUsageDto, PlatformUsageQuery } from './platform-usage.dto';
import { PlatformUsage } from './platform-usage.service';

@ApiTags('Statistics')
@Controller({ path: 'usage/platforms', version: '1' })
export class PlatformUsageController {
  constructor(private readonly usage: PlatformUsage) {}

  @Get()
  @RequireScope('read:status')
  @ApiOperation({
    operationId: 'statistics.getPlatformUsage',
    summary: 'Read the costs that platforms bill',
    description:
      'Returns the messages of a period for which a platform reported pricing, by platform, category and country. Each part counts as one message at the time for which the message was scheduled.',
  })
  @ApiEnvelope(PlatformUsageDto)
  read(@CurrentCaller() { environment }: Caller, @Query() { period }: PlatformUsageQuery) {
    return this.usage.read(environment, period);
  }
}
