import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { AiUsageQuery, AiUsageReportDto } from './dto/usage-report.dto';
import { UsageReports } from './usage/usage-report.service';

@ApiTags('Statistics')
@Controller({ path: 'usage/ai', version: '1' })
export class UsageController {
  constructor(private readonly reports: UsageReports) {}

  @Get()
  @RequireScope('read:status')
  @ApiOperation({
    operationId: 'statistics.getAiUsage',
    summary: 'Read what the AI used and cost',
    description:
      'Returns requests, tokens and cost of a period by day, model, account, key or conversation. Usage is stored by the hour: in a time zone with half hours, an hour belongs to the day in which it begins.',
  })
  @ApiEnvelope(AiUsageReportDto)
  read(@CurrentCaller() caller: Caller, @Query() query: AiUsageQuery) {
    return this.reports.read(caller, query);
  }
}
