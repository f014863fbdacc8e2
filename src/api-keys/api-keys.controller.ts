import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../core/openapi/api-examples.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiKeysService } from './api-keys.service';
import { CREATE_KEY_EXAMPLES, UPDATE_KEY_EXAMPLES } from './dto/api-key.examples';
import { ApiKeyListQuery, CreateApiKeyDto, UpdateApiKeyDto } from './dto/api-key-request.dto';
import { ApiKeyDto, CreatedApiKeyDto, RevokedApiKeyDto } from './dto/api-key.dto';

const KeyId = () => IdParam('key_id', 'api_key', 'The API key.');

@ApiTags('API keys')
@Controller({ path: 'admin/api-keys', version: '1' })
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({ summary: 'Create an API key' })
  @ApiExamples(CREATE_KEY_EXAMPLES)
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
  @ApiExamples(UPDATE_KEY_EXAMPLES)
  @ApiEnvelope(ApiKeyDto)
  update(@CurrentCaller() caller: Caller, @KeyId() id: string, @Body() request: UpdateApiKeyDto) {
    return this.keys.update(caller, id, request);
  }

  @Delete(':key_id')
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({ summary: 'Revoke an API key' })
  @ApiEnvelope(RevokedApiKeyDto)
  revoke(@CurrentCaller() caller: Caller, @KeyId() id: string) {
    return this.keys.revoke(caller, id);
  }
}
