import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiEnvelope, ApiPage } from '../../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../../core/openapi/api-errors.decorator';
import { TemplateAccountQuery, TemplateDto, TemplateListQuery, TemplateSyncDto } from './templates.dto';
import { Templates } from './templates.service';

@ApiTags('Templates')
@Controller({ path: 'templates', version: '1' })
export class TemplatesController {
  constructor(private readonly templates: Templates) {}

  @Get()
  @RequireScope('read:messages')
  @ApiOperation({
    summary: 'List message templates',
    description:
      'Returns the templates of the WhatsApp business account. The gateway reads them at startup, every hour, and when Meta reports a change.',
  })
  @ApiPage(TemplateDto)
  list(@CurrentCaller() { environment }: Caller, @Query() query: TemplateListQuery) {
    return this.templates.list(environment, query);
  }

  @Post('sync')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Refresh the message templates',
    description: 'Reads all templates from WhatsApp. Requires `WHATSAPP_BUSINESS_ACCOUNT_ID`.',
  })
  @ApiEnvelope(TemplateSyncDto)
  @ApiErrors('PLATFORM_NOT_CONNECTED')
  sync(@CurrentCaller() { environment }: Caller, @Query() { account }: TemplateAccountQuery) {
    return this.templates.sync(environment, account);
  }
}
