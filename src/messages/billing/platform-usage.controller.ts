import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
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
      'Messages of a period that a platform named a price for, by platform, category and country. A message counts when it was to be sent, and each of its parts as one.',
  })
  @ApiEnvelope(PlatformUsageDto)
  read(@CurrentCaller() { environment }: Caller, @Query() { period }: PlatformUsageQuery) {
    return this.usage.read(environment, period);
  }
}
