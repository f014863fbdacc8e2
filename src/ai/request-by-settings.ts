import type { Settings } from '../core/settings/settings';
import type { AiRequest } from './provider/ai-provider.port';

/** What a call may say for itself; the settings say the rest. */
type OfCall = Pick<AiRequest, 'messages' | 'growing'> &
  Partial<Pick<AiRequest, 'model' | 'maxTokens' | 'temperature'>> & { isRepeated?: boolean };

export function requestBySettings(ai: Settings['ai'], call: OfCall): AiRequest {
  return {
    model: call.model ?? ai.model,
    system: ai.system_prompt,
    messages: call.messages,
    growing: call.growing,
    maxTokens: Math.min(call.maxTokens ?? ai.max_tokens, ai.max_tokens_limit),
    temperature: call.temperature ?? ai.temperature,
    fallbackModels: ai.fallback_models,
    isRepeated: call.isRepeated,
  };
}

/** The models that the operator chose: any key may ask for them (ADR 19). */
export function modelsOfSettings({ model, fallback_models }: Settings['ai']): string[] {
  return [model, ...fallback_models];
}
