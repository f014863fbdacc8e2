import { Controller, Get, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope, ServedDuringOutage } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { IntegrationStateDto, StatusDto, StatusQuery } from './dto/status.dto';
import { StatusService } from './status.service';

@ApiTags('Status')
@ApiExtraModels(IntegrationStateDto)
@Controller({ path: 'status', version: '1' })
export class StatusController {
  constructor(private readonly status: StatusService) {}

  @Get()
  @RequireScope('read:status')
  @ServedDuringOutage(true)
  @ApiOperation({
    summary: 'Read the status of the system',
    description:
      'Returns the overall status, the components, the integrations and the resource usage of this instance. With `summary`, each integration is only a status word.',
  })
  @ApiEnvelope(StatusDto)
  get(@CurrentCaller() { environment }: Caller, @Query() { summary }: StatusQuery) {
    return this.status.read(environment, summary);
  }
}
