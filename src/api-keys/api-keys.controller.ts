import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../core/openapi/api-envelope.decorator';
import { PublicId } from '../core/validation/public-id.pipe';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiKeysService } from './api-keys.service';
import { ApiKeyListQuery, CreateApiKeyDto, UpdateApiKeyDto } from './dto/api-key-request.dto';
import { ApiKeyDto, CreatedApiKeyDto, RevokedApiKeyDto } from './dto/api-key.dto';

@ApiTags('API keys')
@Controller({ path: 'admin/api-keys', version: '1' })
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({ summary: 'Create an API key' })
  @ApiEnvelope(CreatedApiKeyDto, { status: 201 })
  create(@CurrentCaller() caller: Caller, @Body() request: CreateApiKeyDto) {
    return this.keys.create(caller, request);
  }

  @Get()
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({ summary: 'List API keys' })
  @ApiPage(ApiKeyDto)
  list(@CurrentCaller() caller: Caller, @Query() query: ApiKeyListQuery) {
    return this.keys.list(caller, query);
  }

  @Patch(':key_id')
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({ summary: 'Change an API key' })
  @ApiEnvelope(ApiKeyDto)
  update(
    @CurrentCaller() caller: Caller,
    @Param('key_id', PublicId('api_key')) id: string,
    @Body() request: UpdateApiKeyDto,
  ) {
    return this.keys.update(caller, id, request);
  }

  @Delete(':key_id')
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({ summary: 'Revoke an API key' })
  @ApiEnvelope(RevokedApiKeyDto)
  revoke(@CurrentCaller() caller: Caller, @Param('key_id', PublicId('api_key')) id: string) {
    return this.keys.revoke(caller, id);
  }
}
