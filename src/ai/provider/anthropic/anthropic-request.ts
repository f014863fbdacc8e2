import type Anthropic from '@anthropic-ai/sdk';
import { sanitizeText } from '#contracts';
import { AiProviderError } from '../ai-provider.error';
import type { AiCompletion, AiFile, AiMessage, AiRequest, IgnoredParameter } from '../ai-provider.port';
import { placeOf } from './anthropic-body';
import { HAND_OVER } from '../hand-over-tool';

const OPTIONAL_PARAMETERS = ['temperature', 'thinking', 'cache_control', 'tools'] as const;
/** Parameters that some models or compatible servers refuse; see {@link RefusedParameters}. */
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/** How the API and compatible servers word a refusal; a value out of range is not one. */
const REFUSAL = /deprecated|not supported|unsupported|not permitted|unknown|unexpected|unrecognized|extra/i;

/** The API's default, the only value that every model accepts. */
const DEFAULT_TEMPERATURE = 1;

/**
 * Models that think before they answer by default. A person on a messenger waits for the answer, and thinking counts
 * towards `max_tokens`: a small limit would leave no tokens for the text. The request sends no setting to models that
 * always think (Opus 5.5, Fable, Mythos), or do not think by default (4.x).
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting
 */
const THINKING_OFF: readonly [RegExp, Anthropic.ThinkingConfigParam][] = [
  [/^claude-sonnet-5-5\b/, { type: 'between_tools' }],
  [/^claude-(sonnet-5|opus-5|haiku-5-5)(-\d{8})?$/, { type: 'disabled' }],
];

/** The user's turn that precedes a conversation which the business began. */
const SPOKEN_TO = '(You wrote:)';

/** SDK 1.x no longer declares `temperature`, as current models refuse it; Claude 4.6 and older still take it. */
type Params = Anthropic.MessageCreateParamsNonStreaming & { temperature?: number };

/** @throws AiProviderError `invalid_request` if no message is left to answer */
export function toMessageParams(request: AiRequest, refused: ReadonlySet<OptionalParameter>): Params {
  const messages = alternate(request.messages, request.growing ?? false).map(toParam);
  const isAsked = ({ role, content, files = [] }: AiMessage) =>
    role === 'user' && (content.trim() !== '' || files.length > 0);
  if (!request.messages.some(isAsked)) {
    throw new AiProviderError('invalid_request', 'There is no user message to answer', { retryable: false });
  }
  const cached = refused.has('cache_control') ? {} : { cache_control: { type: 'ephemeral' } as const };
  // The messages of a conversation that grows are a prefix of its next request. Those of a window that slides are not: each
  // request would pay for a cache entry that no other reads.
  const growing = request.growing ? cached : {};
  const params: Params = { model: request.model, max_tokens: request.maxTokens, messages, ...growing };
  const system = request.system.trim();
  // The instructions are the same prefix in every call.
  if (system) params.system = [{ type: 'text', text: sanitizeText(system), ...cached }];
  if (wantsTemperature(request) && !refused.has('temperature')) params.temperature = request.temperature;
  if (request.mayHandOver && !refused.has('tools')) params.tools = [HAND_OVER];
  const thinking = THINKING_OFF.find(([model]) => model.test(request.model))?.[1];
  if (thinking && !refused.has('thinking')) params.thinking = thinking;
  return params;
}

function wantsTemperature({ temperature }: AiRequest): boolean {
  return temperature !== DEFAULT_TEMPERATURE;
}

/** The file of a block in `toMessageParams`. */
export function fileAt({ messages, growing }: AiRequest, message: number, block: number): AiFile | undefined {
  return alternate(messages, growing ?? false)[message]?.files?.[block];
}

/**
 * Puts messages in the form that the API accepts: roles alternate, the user comes first, and no message is empty. If the business
 * wrote first, it adds a turn of the user, so that the model sees the message; in a sliding window it drops the message
 * instead. It replaces lone surrogates, because the API would refuse the conversation while one is in the context.
 * @param fromTheBeginning the conversation begins with these messages
 */
function alternate(messages: readonly AiMessage[], fromTheBeginning: boolean): AiMessage[] {
  const result: AiMessage[] = [];
  for (const { role, content, files = [] } of messages) {
    const text = sanitizeText(content);
    const last = result.at(-1);
    if (text.trim() === '' && files.length === 0) continue;
    if (!last && role === 'assistant') {
      if (fromTheBeginning) result.push({ role: 'user', content: SPOKEN_TO }, { role, content: text, files });
    } else if (last?.role === role) {
      last.content = [last.content, text].filter((part) => part !== '').join('\n\n');
      last.files = [...(last.files ?? []), ...files];
    } else result.push({ role, content: text, files });
  }
  return result;
}

/** Files come before the text, because the model then reads them better. */
function toParam({ role, content, files = [] }: AiMessage): Anthropic.MessageParam {
  if (files.length === 0) return { role, content };
  const blocks = files.map((file): Anthropic.ContentBlockParam => {
    const { type, mediaType, title } = file;
    const data = placeOf(file);
    if (type === 'document')
      return {
        type,
        source: { type: 'base64', media_type: 'application/pdf', data },
        title: title === undefined ? null : sanitizeText(title),
      };
    return {
      type,
      source: { type: 'base64', media_type: mediaType as Anthropic.Base64ImageSource['media_type'], data },
    };
  });
  return { role, content: content === '' ? blocks : [...blocks, { type: 'text', text: content }] };
}

function isSent({ system, ...params }: Params, name: OptionalParameter): boolean {
  const isOfBlock = Array.isArray(system) && system.some((block) => name in block);
  return params[name] !== undefined || isOfBlock;
}

/**
 * Remembers which optional parameters a model has refused. Models from Claude 4.7 on answer 400 to a temperature other
 * than the default, and models differ in how they turn thinking off; a fixed list would be wrong with the next model.
 */
export class RefusedParameters {
  private readonly byModel = new Map<string, Set<OptionalParameter>>();

  of(model: string): ReadonlySet<OptionalParameter> {
    return this.byModel.get(model) ?? new Set();
  }

  /** Those that a caller or the operator sets. */
  get ignored(): IgnoredParameter[] {
    const models = [...this.byModel].filter(([, refused]) => refused.has('temperature'));
    return models.map(([model]) => ({ model, parameter: 'temperature' }));
  }

  /** For the completion: the parameters that the request sets and that its model has refused. */
  ignoredOf(request: AiRequest): Pick<AiCompletion, 'ignored'> {
    return wantsTemperature(request) && this.of(request.model).has('temperature') ? { ignored: ['temperature'] } : {};
  }

  /** @returns true if the request may succeed without the refused parameters */
  learn(params: Params, error: { status?: number; message: string }): boolean {
    if (error.status !== 400 || !REFUSAL.test(error.message)) return false;
    const refused = OPTIONAL_PARAMETERS.filter((name) => isSent(params, name) && error.message.includes(name));
    if (refused.length === 0) return false;
    this.byModel.set(params.model, new Set([...this.of(params.model), ...refused]));
    return true;
  }
}
