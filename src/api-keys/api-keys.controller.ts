import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { BodyLimit } from '../core/http/body-limit.decorator';
import { ApiEnvelope, ApiPage } from '../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../core/openapi/api-examples.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiKeysService } from './api-keys.service';
import { CREATE_KEY_EXAMPLES, ROLL_KEY_EXAMPLES, UPDATE_KEY_EXAMPLES } from './dto/api-key.examples';
import { ApiKeyListQuery, CreateApiKeyDto, RollApiKeyDto, UpdateApiKeyDto } from './dto/api-key-request.dto';
import { ApiKeyDto, CreatedApiKeyDto, RevokedApiKeyDto } from './dto/api-key.dto';
import { KeyId } from './dto/key-id-param.decorator';
import { CurrentCredentials, type ClientCredentials } from './current-credentials.decorator';

@ApiTags('API keys')
@Controller({ path: 'admin/api-keys', version: '1' })
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Post()
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({
    summary: 'Create an API key',
    description:
      'Creates a key and returns its value, which is shown only once. A key cannot grant rights that it does not have itself.',
  })
  @BodyLimit(152)
  @ApiExamples(CREATE_KEY_EXAMPLES)
  @ApiEnvelope(CreatedApiKeyDto, { status: 201 })
  create(@CurrentCredentials() presented: ClientCredentials, @Body() request: CreateApiKeyDto) {
    return this.keys.create(presented, request);
  }

  @Get()
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({
    summary: 'List API keys',
    description:
      'Returns the keys of the environment, newest first, without their values. A live key with the scope `*` sees both environments.',
  })
  @ApiPage(ApiKeyDto)
  list(@CurrentCaller() caller: Caller, @Query() query: ApiKeyListQuery) {
    return this.keys.list(caller, query);
  }

  @Get(':key_id')
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({ summary: 'Read an API key', description: 'Returns a key of any status, without its value.' })
  @ApiEnvelope(ApiKeyDto)
  get(@CurrentCaller() caller: Caller, @KeyId() id: string) {
    return this.keys.read(caller, id);
  }

  @Patch(':key_id')
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({
    summary: 'Change an API key',
    description:
      'Changes the fields in the body; every instance applies them within a second. A revoked key cannot be changed.',
  })
  @BodyLimit(152)
  @ApiExamples(UPDATE_KEY_EXAMPLES)
  @ApiEnvelope(ApiKeyDto)
  update(@CurrentCredentials() presented: ClientCredentials, @KeyId() id: string, @Body() request: UpdateApiKeyDto) {
    return this.keys.update(presented, id, request);
  }

  @Post(':key_id/roll')
  @HttpCode(200)
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({
    summary: 'Give an API key a new value',
    description:
      'Returns a new value for the key, which is shown only once; the id stays. The old value works until the grace period ends.',
  })
  @ApiExamples(ROLL_KEY_EXAMPLES)
  @ApiEnvelope(CreatedApiKeyDto)
  roll(
    @CurrentCredentials() presented: ClientCredentials,
    @KeyId() id: string,
    @Body() { grace_hours: hours }: RollApiKeyDto,
  ) {
    return this.keys.roll(presented, id, hours);
  }

  @Delete(':key_id')
  @RequireScope('admin:users', 'admin:settings')
  @ApiOperation({
    summary: 'Revoke an API key',
    description: 'Every instance refuses the key within a second. Revoking a revoked key changes nothing.',
  })
  @ApiEnvelope(RevokedApiKeyDto)
  revoke(@CurrentCredentials() presented: ClientCredentials, @KeyId() id: string) {
    return this.keys.revoke(presented, id);
  }
}
