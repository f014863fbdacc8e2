import type Anthropic from '@anthropic-ai/sdk';
import { sanitizeText } from '#contracts';
import { AiProviderError } from './ai-provider.error';
import type { AiMessage, AiRequest } from './ai-provider.port';

const OPTIONAL_PARAMETERS = ['temperature', 'thinking', 'cache_control'] as const;
/** Parameters that some models, or servers beside Anthropic's, refuse; see {@link RefusedParameters}. */
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/** How the API says so, and how servers beside it do; a value out of range is none of these. */
const REFUSAL = /deprecated|not supported|unsupported|not permitted|unknown|unexpected|unrecognized|extra/i;

/** The API's own default, the one value that every model accepts. */
const DEFAULT_TEMPERATURE = 1;

/**
 * Models that think before they answer unless told not to. A person on a messenger waits for the answer, and thinking
 * counts towards `max_tokens`: with a small limit nothing would be left for the text. Where it cannot be turned off
 * (Opus 5.5, Fable, Mythos) or is off by itself (4.x), nothing is sent.
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting
 */
const THINKING_OFF: readonly [RegExp, Anthropic.ThinkingConfigParam][] = [
  [/^claude-sonnet-5-5\b/, { type: 'between_tools' }],
  [/^claude-(sonnet-5|opus-5|haiku-5-5)(-\d{8})?$/, { type: 'disabled' }],
];

/** The person's turn before the first of a conversation, if that is the business's. */
const SPOKEN_TO = '(You wrote:)';

/** SDK 1.x no longer declares `temperature`, as current models refuse it; Claude 4.6 and older still take it. */
type Params = Anthropic.MessageCreateParamsNonStreaming & { temperature?: number };

/** @throws AiProviderError `invalid_request` if no message is left to answer */
export function toMessageParams(request: AiRequest, refused: ReadonlySet<OptionalParameter>): Params {
  const messages = alternate(request.messages, request.growing ?? false);
  if (!request.messages.some(({ role, content }) => role === 'user' && content.trim() !== '')) {
    throw new AiProviderError('invalid_request', 'There is no user message to answer', { retryable: false });
  }
  const cached = refused.has('cache_control') ? {} : { cache_control: { type: 'ephemeral' } as const };
  // Of a conversation that grows, all that was said so far is a prefix of what comes next. Not of a window that slides: each
  // request would pay for writing what no other reads.
  const growing = request.growing ? cached : {};
  const params: Params = { model: request.model, max_tokens: request.maxTokens, messages, ...growing };
  const system = request.system.trim();
  // The instructions are a prefix that stays the same from call to call.
  if (system) params.system = [{ type: 'text', text: sanitizeText(system), ...cached }];
  if (request.temperature !== DEFAULT_TEMPERATURE && !refused.has('temperature')) {
    params.temperature = request.temperature;
  }
  const thinking = THINKING_OFF.find(([model]) => model.test(request.model))?.[1];
  if (thinking && !refused.has('thinking')) params.thinking = thinking;
  return params;
}

/**
 * What the API accepts: roles alternate, the first is the user's, nothing is empty. Where the business spoke first, a turn
 * is made for the user: what they answer to must not be left out. Of a window that slides it is. Well-formed, because a
 * lone surrogate in an inbound text would have the API refuse the conversation for as long as it is in the context.
 * @param fromTheBeginning nothing was said before these messages
 */
function alternate(messages: readonly AiMessage[], fromTheBeginning: boolean): AiMessage[] {
  const result: AiMessage[] = [];
  for (const { role, content } of messages) {
    const text = sanitizeText(content);
    const last = result.at(-1);
    if (text.trim() === '') continue;
    if (!last && role === 'assistant') {
      if (fromTheBeginning) result.push({ role: 'user', content: SPOKEN_TO }, { role, content: text });
    } else if (last?.role === role) last.content += `\n\n${text}`;
    else result.push({ role, content: text });
  }
  return result;
}

function isSent({ system, ...params }: Params, name: OptionalParameter): boolean {
  const isOfBlock = Array.isArray(system) && system.some((block) => name in block);
  return params[name] !== undefined || isOfBlock;
}

/**
 * Which optional parameters a model turned out to refuse. Models from Claude 4.7 on answer 400 to a temperature other
 * than the default, and models differ in how thinking is turned off; a list of them would be wrong with the next model.
 */
export class RefusedParameters {
  private readonly byModel = new Map<string, Set<OptionalParameter>>();

  of(model: string): ReadonlySet<OptionalParameter> {
    return this.byModel.get(model) ?? new Set();
  }

  /** @returns true if the request is worth sending again without what was refused */
  learn(params: Params, error: { status?: number; message: string }): boolean {
    if (error.status !== 400 || !REFUSAL.test(error.message)) return false;
    const refused = OPTIONAL_PARAMETERS.filter((name) => isSent(params, name) && error.message.includes(name));
    if (refused.length === 0) return false;
    this.byModel.set(params.model, new Set([...this.of(params.model), ...refused]));
    return true;
  }
}
