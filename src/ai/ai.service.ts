import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';
import { SettingsService } from '../core/settings/settings.service';
import { AiCalls, type AiAnswer, type AiCall } from './ai-calls.service';
import type { AiStatusDto, GeneratedDto } from './dto/ai.dto';
import type { GenerateDto } from './dto/generate.dto';
import { AiProviderError } from './provider/ai-provider.error';
import { Usage } from './usage/usage.service';

@Injectable()
export class AiService {
  constructor(
    private readonly calls: AiCalls,
    private readonly usage: Usage,
    private readonly settings: SettingsService,
  ) {}

  /**
   * @param requestId UUID of the HTTP request
   * @param onDelta if given, the answer is streamed: called with each piece of its text, in order
   * @throws ApiError AI_PROVIDER_ERROR, also after deltas
   */
  async generate(
    environment: Environment,
    requestId: string,
    request: GenerateDto,
    onDelta?: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<GeneratedDto> {
    const call = toCall(environment, requestId, request);
    try {
      const answer = onDelta ? await this.streamed(call, onDelta, signal) : await this.calls.complete(call, signal);
      await answer.record();
      answer.publish();
      const { text, model, tokens, latencyMs } = answer.completion;
      return { response: text, model, tokens: { input: tokens.input, output: tokens.output }, latency_ms: latencyMs };
    } catch (error) {
      throw error instanceof AiProviderError ? this.toApiError(environment, error) : error;
    }
  }

  async status(environment: Environment): Promise<AiStatusDto> {
    const usage = await this.usage.summary(environment);
    return {
      provider: this.calls.provider(environment).name,
      model: this.settings.of(environment).ai.model,
      status: this.calls.status(environment),
      usage,
    };
  }

  private async streamed(call: AiCall, onDelta: (text: string) => void, signal?: AbortSignal): Promise<AiAnswer> {
    for await (const event of this.calls.stream(call, signal)) {
      if (event.type === 'answer') return event.answer;
      onDelta(event.text);
    }
    throw new Error('a stream ends with an answer or throws');
  }

  private toApiError(environment: Environment, { type, message, retryable }: AiProviderError): ApiError {
    const provider = this.calls.provider(environment).name;
    return new ApiError('AI_PROVIDER_ERROR', { provider, type, retryable }, message);
  }
}

function toCall(environment: Environment, requestId: string, request: GenerateDto): AiCall {
  const { message, context = [], options = {} } = request;
  return {
    environment,
    requestId,
    conversationId: null,
    growing: context.length > 0,
    messages: [...context.map(({ role, content }) => ({ role, content })), { role: 'user', content: message }],
    model: options.model,
    maxTokens: options.max_tokens,
    temperature: options.temperature,
  };
}
