import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../../core/http/access.decorator';
import { ApiPage } from '../../../core/openapi/api-envelope.decorator';
import type { Caller } from '../../../core/http/lifecycle/request-context';
import { AuditLogService } from './audit-log.service';
import { AuditEntryDto, AuditListQuery } from './audit.dto';

@ApiTags('Audit log')
@Controller({ path: 'admin/audit-log', version: '1' })
export class AuditLogController {
  constructor(private readonly log: AuditLogService) {}

  @Get()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'List requests to the API',
    description:
      'The audit log has every request under `/api`, including refused ones, with its masked key, client address and response status.',
  })
  @ApiPage(AuditEntryDto)
  list(@CurrentCaller() { environment }: Caller, @Query() query: AuditListQuery) {
    return this.log.list(environment, query);
  }
}
