import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../../core/openapi/api-errors.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import { AiProviderDto, AiProviderModelDto, DeletedAiProviderDto, SetAiProviderDto } from '../dto/provider.dto';
import { ProviderName } from './provider-name.decorator';
import { AiProviders } from './ai-providers.service';

@ApiTags('AI')
@Controller({ path: 'ai/providers', version: '1' })
export class AiProvidersController {
  constructor(private readonly providers: AiProviders) {}

  @Get()
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'ai.listProviders',
    summary: 'List the AI providers',
    description: 'Returns the providers and where their keys come from. Keys are never returned.',
  })
  @ApiEnvelope(AiProviderDto, { array: true })
  @ApiErrors('RESOURCE_NOT_FOUND')
  list(@CurrentCaller() caller: Caller) {
    return this.providers.list(caller);
  }

  @Put(':name')
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'ai.setProvider',
    summary: 'Set the key and base URL of an AI provider',
    description:
      'Replaces both together, so that a stored key never goes to another address. They win over those of the environment until they are deleted, and work on all instances within a second.',
  })
  @ApiExamples({
    openai: { summary: 'OpenAI', value: { api_key: 'sk-0123456789abcdef', base_url: null } },
    mistral: { summary: 'Mistral', value: { api_key: '0123456789abcdef', base_url: 'https://api.mistral.ai/v1' } },
  })
  @ApiEnvelope(AiProviderDto)
  set(@CurrentCaller() caller: Caller, @ProviderName() name: string, @Body() body: SetAiProviderDto) {
    return this.providers.set(caller, name, body);
  }

  @Delete(':name')
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'ai.deleteProvider',
    summary: 'Delete the key and base URL of an AI provider',
    description: 'Deletes what the API has set. Those of the environment are used again, if there are any.',
  })
  @ApiEnvelope(DeletedAiProviderDto)
  delete(@CurrentCaller() caller: Caller, @ProviderName() name: string) {
    return this.providers.delete(caller, name);
  }

  @Get(':name/models')
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'ai.listModels',
    summary: 'List the models of an AI provider',
    description: 'Asks the provider for its models. The list is empty if the server has none.',
  })
  @ApiEnvelope(AiProviderModelDto, { array: true })
  @ApiErrors('AI_PROVIDER_ERROR')
  listModels(@CurrentCaller() caller: Caller, @ProviderName() name: string) {
    return this.providers.models(caller, name);
  }
}
