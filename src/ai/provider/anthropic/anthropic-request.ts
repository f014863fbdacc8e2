import type Anthropic from '@anthropic-ai/sdk';
import { sanitizeText } from '#contracts';
import type { AiFile, AiMessage, AiRequest, AiTool } from '../ai-provider.port';
import { placeOf } from '../http/request-body';
import { isRefusal, wantsTemperature } from '../refused-parameters';
import { turnsOf } from '../turns';

const OPTIONAL_PARAMETERS = ['temperature', 'thinking', 'cache_control', 'tools', 'tool_choice'] as const;
/** Parameters that some models or compatible servers refuse. */
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

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

/** SDK 1.x no longer declares `temperature`, as current models refuse it; Claude 4.6 and older still take it. */
type Params = Anthropic.MessageCreateParamsNonStreaming & { temperature?: number };

/** @throws AiProviderError `invalid_request` if no message is left to answer */
export function toMessageParams(request: AiRequest, refused: ReadonlySet<OptionalParameter>): Params {
  const messages = turnsOf(request).map(toParam);
  const cached = refused.has('cache_control') ? {} : { cache_control: { type: 'ephemeral' } as const };
  // The messages of a conversation that grows are a prefix of its next request. Those of a window that slides are not: each
  // request would pay for a cache entry that no other reads.
  const growing = request.growing ? cached : {};
  const params: Params = { model: request.model, max_tokens: request.maxTokens, messages, ...growing };
  const system = request.system.trim();
  // The instructions are the same prefix in every call.
  if (system) params.system = [{ type: 'text', text: sanitizeText(system), ...cached }];
  if (wantsTemperature(request) && !refused.has('temperature')) params.temperature = request.temperature;
  if (request.tools?.length && !refused.has('tools')) {
    params.tools = request.tools.map(toolParam);
    if (request.mustAnswer && !refused.has('tool_choice')) params.tool_choice = { type: 'none' };
  }
  const thinking = THINKING_OFF.find(([model]) => model.test(request.model))?.[1];
  if (thinking && !refused.has('thinking')) params.thinking = thinking;
  return params;
}

function toolParam({ name, description, parameters, strict }: AiTool): Anthropic.Tool {
  const input_schema = parameters as Anthropic.Tool.InputSchema;
  return { name, description, ...(strict && { strict }), input_schema };
}

/** Results of tools and files come before the text: the API demands the first, and the model reads the second better so. */
function toParam({ role, content, files = [], toolCalls = [], toolResults = [] }: AiMessage): Anthropic.MessageParam {
  if (files.length + toolCalls.length + toolResults.length === 0) return { role, content };
  const results = toolResults.map((result): Anthropic.ContentBlockParam => ({
    type: 'tool_result',
    tool_use_id: result.callId,
    content: sanitizeText(result.content),
    ...(result.isError && { is_error: true }),
  }));
  const text: Anthropic.ContentBlockParam[] = content === '' ? [] : [{ type: 'text', text: content }];
  const calls = toolCalls.map((call): Anthropic.ContentBlockParam => {
    const input = typeof call.arguments === 'object' && call.arguments !== null ? call.arguments : {};
    return { type: 'tool_use', id: call.id, name: call.name, input };
  });
  return { role, content: [...results, ...files.map(fileParam), ...text, ...calls] };
}

function fileParam(file: AiFile): Anthropic.ContentBlockParam {
  const { type, mediaType, title } = file;
  const data = placeOf(file);
  if (type === 'document')
    return {
      type,
      source: { type: 'base64', media_type: 'application/pdf', data },
      title: title === undefined ? null : sanitizeText(title),
    };
  return { type, source: { type: 'base64', media_type: mediaType as Anthropic.Base64ImageSource['media_type'], data } };
}

/** The parameters that the API has refused in a request. */
export function refusedIn(
  params: Params,
  error: { status?: number | undefined; message: string },
): OptionalParameter[] {
  if (!isRefusal(error)) return [];
  return OPTIONAL_PARAMETERS.filter((name) => isSent(params, name) && error.message.includes(name));
}

function isSent({ system, ...params }: Params, name: OptionalParameter): boolean {
  const isOfBlock = Array.isArray(system) && system.some((block) => name in block);
  return params[name] !== undefined || isOfBlock;
}
