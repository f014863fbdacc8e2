import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { StatisticsDto, StatisticsQuery } from './statistics.dto';
import { StatisticsService } from './statistics.service';

@ApiTags('Statistics')
@Controller({ path: 'admin/stats', version: '1' })
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  @Get()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Read usage statistics',
    description: 'Returns messages, conversations, tokens and cost of a period: in total, by platform and over time.',
  })
  @ApiEnvelope(StatisticsDto)
  get(@CurrentCaller() { environment }: Caller, @Query() query: StatisticsQuery) {
    return this.statistics.read(environment, query);
  }
}
