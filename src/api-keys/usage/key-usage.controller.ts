import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { KeyId } from '../dto/key-id-param.decorator';
import { KeyUsageDto, KeyUsageQuery } from './key-usage.dto';
import { KeyUsage } from './key-usage.service';

@ApiTags('API keys')
@Controller({ path: 'admin/api-keys/:key_id/usage', version: '1' })
export class KeyUsageController {
  constructor(private readonly usage: KeyUsage) {}

  @Get()
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({
    operationId: 'apiKeys.getUsage',
    summary: 'Read the usage of an API key',
    description: 'Returns requests, refusals and AI cost by day and model. The numbers are at most a few seconds old.',
  })
  @ApiEnvelope(KeyUsageDto)
  read(@CurrentCaller() caller: Caller, @KeyId() id: string, @Query() { period }: KeyUsageQuery) {
    return this.usage.read(caller, id, period);
  }
}
