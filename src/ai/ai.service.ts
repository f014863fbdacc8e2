import { Injectable } from '@nestjs/common';
import { fullModelName, shownModelName, type BudgetDetails, type Environment, type ParameterFault } from '#contracts';
import { Accounts } from '../accounts/accounts.service';
import { Clock } from '../core/clock/clock.service';
import { ApiError, RateLimitError } from '../core/http/lifecycle/api-error';
import type { Caller, RequestContext, Warning } from '../core/http/lifecycle/request-context';
import type { Settings } from '../core/settings/settings';
import { SettingsService } from '../core/settings/settings.service';
import type { AiAnswer, AiCall } from './ai-call';
import { AiCalls } from './ai-calls.service';
import { AiHealth } from './ai-health.service';
import type { AiStatusDto, GeneratedDto } from './dto/ai.dto';
import { parameterError } from '../core/validation/request-faults';
import type { GenerateDto, GenerateOptionsDto } from './dto/generate.dto';
import type { AiCompletion } from './provider/ai-provider.port';
import { AiProviderError } from './provider/ai-provider.error';
import { pricesOf } from './provider/prices';
import { shownTokens } from './provider/tokens';
import { modelsOfSettings, providerOf } from './request-by-settings';
import { usdOf } from '../core/nanodollars';
import { BudgetStatus } from './usage/budget-status.service';
import type { BudgetedKey } from './usage/budgets.service';
import { BudgetSpentError } from './usage/reservation';
import { RequestRounds } from './tools/rounds/request-rounds.service';
import { ToolRounds } from './tools/rounds/tool-rounds.service';
import { Usage } from './usage/usage.service';

type Asked = Omit<AiCall, 'requestId' | 'environment' | 'conversationId' | 'keyId' | 'key'> & {
  mayCallTools?: boolean | undefined;
};

/** The HTTP request: its id, and where warnings for its answer go. */
export type Asking = Pick<RequestContext, 'id' | 'warnings'>;

@Injectable()
export class AiService {
  constructor(
    private readonly calls: AiCalls,
    private readonly tools: ToolRounds,
    private readonly rounds: RequestRounds,
    private readonly health: AiHealth,
    private readonly usage: Usage,
    private readonly budgets: BudgetStatus,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    private readonly accounts: Accounts,
  ) {}

  /**
   * @param onDelta if given, the answer is streamed: called with each piece of its text, in order
   * @throws ApiError INVALID_PARAMETER, RATE_LIMIT_EXCEEDED; AI_PROVIDER_ERROR, also after deltas
   */
  async generate(
    caller: Caller,
    asking: Asking,
    request: GenerateDto,
    onDelta?: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<GeneratedDto> {
    const { environment } = caller;
    const faults = optionFaults(request.options ?? {}, caller, this.settings.of(environment).ai);
    if (faults.length > 0) throw parameterError(faults);
    return this.answer(caller, asking, toCall(request), onDelta, signal);
  }

  /** As `generate`, for a call whose parameters have been checked. */
  async answer(
    caller: Caller,
    asking: Asking,
    asked: Asked,
    onDelta?: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<GeneratedDto> {
    const { environment } = caller;
    const { keyId } = caller;
    const { mayCallTools, ...options } = asked;
    const key = budgetedKey(caller);
    const call = { ...options, requestId: asking.id, environment, conversationId: null, keyId, key };
    try {
      const turn = this.rounds.turnOf(environment);
      const answer = mayCallTools
        ? (await this.tools.complete(call, turn, signal))!
        : onDelta
          ? await this.streamed(call, onDelta, signal)
          : await this.calls.complete(call, signal);
      await answer.record();
      answer.publish();
      const { text, model, ignored } = answer.completion;
      const completions = [...turn.earlier, answer.completion];
      if (ignored) asking.warnings = [...(asking.warnings ?? []), ...ignored.map((name) => warningOf(name, model))];
      const sum = (count: (completion: AiCompletion) => number) =>
        completions.reduce((all, one) => all + count(one), 0);
      const tokens = {
        input: sum(({ tokens: used }) => shownTokens(used).input),
        output: sum(({ tokens: used }) => used.output),
      };
      return { response: text, model, tokens, latency_ms: sum(({ latencyMs }) => latencyMs) };
    } catch (error) {
      if (error instanceof BudgetSpentError) throw budgetSpent(error, this.clock.now());
      throw error instanceof AiProviderError ? this.toApiError(environment, asked.model, error) : error;
    }
  }

  /**
   * @param models by the parameter that names them
   * @throws ApiError INVALID_PARAMETER for a model that the key may not use
   */
  assertMayAsk(caller: Caller, models: Readonly<Record<string, readonly string[]>>): void {
    const { ai } = this.settings.of(caller.environment);
    const faults = Object.entries(models).flatMap(([parameter, names]) => modelFaults(parameter, names, caller, ai));
    if (faults.length > 0) throw parameterError(faults);
  }

  async status(caller: Caller): Promise<AiStatusDto> {
    const { environment } = caller;
    const key = budgetedKey(caller);
    const usage = await this.usage.summary(environment);
    const { budget, isSpent } = await this.budgets.of(environment);
    const status = this.health.status(environment);
    const { ai } = this.settings.of(environment);
    const models = modelsOfSettings(ai);
    const own = this.accounts.modelsOf(environment).map((model) => fullModelName(model, ai.provider));
    const used = environment === 'test' ? [] : [...new Set([...models, ...own])];
    return {
      provider: this.health.provider(environment),
      model: models[0]!,
      status: isSpent && status === 'available' ? 'degraded' : status,
      configured: this.health.isConfigured(environment),
      ignored: this.health.ignored(environment),
      providers: this.health.statuses(environment),
      unpriced_models: used.filter((model) => !pricesOf(model, ai.prices)),
      usage,
      budget,
      ...(key && { key_budget: await this.budgets.ofKey(environment, key) }),
    };
  }

  private async streamed(call: AiCall, onDelta: (text: string) => void, signal?: AbortSignal): Promise<AiAnswer> {
    for await (const event of this.calls.stream(call, signal)) {
      if (event.type === 'answer') return event.answer;
      onDelta(event.text);
    }
    throw new Error('a stream ends with an answer or throws');
  }

  private toApiError(
    environment: Environment,
    model: string | undefined,
    { type, message, retryable }: AiProviderError,
  ): ApiError {
    const { ai } = this.settings.of(environment);
    const provider = providerOf(environment, fullModelName(model ?? ai.model, ai.provider));
    return new ApiError('AI_PROVIDER_ERROR', { provider, type, retryable }, message);
  }
}

function budgetedKey({ keyId, aiBudget }: Caller): BudgetedKey | undefined {
  return aiBudget ? { keyId, aiBudget } : undefined;
}

function warningOf(parameter: string, model: string): Warning {
  return {
    code: 'PARAMETER_IGNORED',
    message: `${parameter}: the model ${model} does not accept it, so the gateway omitted it.`,
  };
}

function toCall(request: GenerateDto): Asked {
  const { message, context = [], options = {} } = request;
  return {
    mayCallTools: request.tools,
    growing: context.length > 0,
    messages: [...context.map(({ role, content }) => ({ role, content })), { role: 'user', content: message }],
    model: options.model,
    maxTokens: options.max_tokens,
    temperature: options.temperature,
  };
}

/** A request without a model uses the models of the settings, which every key may use. */
function modelFaults(
  parameter: string,
  models: readonly string[],
  { aiModels }: Caller,
  ai: Settings['ai'],
): ParameterFault[] {
  if (aiModels.length === 0) return [];
  const allowed = new Set([...aiModels.map((model) => fullModelName(model, 'anthropic')), ...modelsOfSettings(ai)]);
  const foreign = models.filter((model) => !allowed.has(fullModelName(model, ai.provider)));
  const shown = aiModels.map((model) => shownModelName(model, ai.provider));
  return foreign.map((value) => ({ parameter, reason: `must be one of ${shown.join(', ')}`, value }));
}

/** The part that depends on the key and the settings. */
function optionFaults({ model, max_tokens }: GenerateOptionsDto, caller: Caller, ai: Settings['ai']): ParameterFault[] {
  const faults = model === undefined ? [] : modelFaults('options.model', [model], caller, ai);
  if (max_tokens !== undefined && max_tokens > ai.max_tokens_limit) {
    faults.push({
      parameter: 'options.max_tokens',
      reason: `must be at most ${ai.max_tokens_limit}`,
      value: max_tokens,
    });
  }
  return faults;
}

function budgetSpent(refusal: BudgetSpentError, now: number): ApiError {
  const { usd, span } = refusal.share;
  const details: BudgetDetails = {
    limit: usd!,
    window_seconds: (span.end - span.start) / 1_000,
    retry_after_seconds: refusal.retryAfterSeconds(now),
    scope: 'budget',
    spent_usd: usdOf(refusal.spent),
    reserved_usd: usdOf(refusal.reserved),
    needed_usd: usdOf(refusal.needed),
  };
  return new RateLimitError('ai_budget', details, `${refusal.message}.`);
}
