import type OpenAI from 'openai';
import { sanitizeText } from '#contracts';
import { withoutFiles } from '../../files/lighter-request';
import type { AiMessage, AiRequest, AiTool } from '../ai-provider.port';
import { placeOf } from '../http/request-body';
import { isRefusal, wantsTemperature } from '../refused-parameters';
import { turnsOf } from '../turns';

type Message = OpenAI.ChatCompletionMessageParam;
export type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** Both names of the length of an answer: OpenAI's newer models refuse the older one, and other servers know only that. */
const LIMITS = ['max_completion_tokens', 'max_tokens'] as const;
export type LimitName = (typeof LIMITS)[number];
const OPTIONAL_PARAMETERS = [
  ...LIMITS,
  'temperature',
  'reasoning_effort',
  'stream_options',
  'tools',
  'tool_choice',
] as const;
/** Parameters that some models or servers refuse; `strict` is one of each tool. */
export type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number] | 'strict';

/** A server without a parser for tool calls: https://docs.vllm.ai/en/latest/features/tool_calling.html */
const NO_TOOL_PARSER = /\btool choice requires\b/;

/** Models that think before they answer. A person on a messenger waits for the answer, and thinking counts towards the limit. */
const THINKING = /(?:^|\/)(?:gpt-[5-9]|gpt-oss|o[1-9])/;

/**
 * The body of a request. Documents are only named: few of the servers that speak this API read PDFs.
 * @param limit the name of the length that the server probably knows
 * @throws AiProviderError `invalid_request` if no message is left to answer
 */
export function toChatParams(asked: AiRequest, refused: ReadonlySet<OptionalParameter>, limit: LimitName): Params {
  const request = withoutFiles(asked, ({ type }) => type === 'document');
  const messages = turnsOf(request).flatMap(toParams);
  const system = sanitizeText(request.system.trim());
  const other = LIMITS.find((name) => name !== limit)!;
  const params: Params = {
    model: request.model,
    messages: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
    [refused.has(limit) ? other : limit]: request.maxTokens,
  };
  if (wantsTemperature(request) && !refused.has('temperature')) params.temperature = request.temperature;
  if (THINKING.test(request.model) && !refused.has('reasoning_effort')) params.reasoning_effort = 'low';
  if (request.tools?.length && !refused.has('tools')) {
    params.tools = request.tools.map((tool) => toolParam(tool, !refused.has('strict')));
    if (request.mustAnswer && !refused.has('tool_choice')) params.tool_choice = 'none';
  }
  return params;
}

/** The same request as a stream. OpenAI reports the usage of a stream only if it is asked to. */
export function streamed(params: Params, refused: ReadonlySet<OptionalParameter>) {
  const usage = refused.has('stream_options') ? {} : { stream_options: { include_usage: true } };
  return { ...params, ...usage, stream: true as const };
}

function toolParam({ name, description, parameters, strict }: AiTool, knowsStrict: boolean): OpenAI.ChatCompletionTool {
  const definition = { name, description, parameters, ...(strict && knowsStrict && { strict }) };
  return { type: 'function', function: definition };
}

/** Each result of a tool is a message of its own. */
function toParams({ role, content, files = [], toolCalls = [], toolResults = [] }: AiMessage): Message[] {
  if (role === 'assistant') {
    if (toolCalls.length === 0) return [{ role, content }];
    return [{ role, content: content === '' ? null : content, tool_calls: toolCalls.map(callParam) }];
  }
  const results = toolResults.map((result): Message => ({
    role: 'tool',
    tool_call_id: result.callId,
    content: sanitizeText(result.content),
  }));
  const images = files.map((file): OpenAI.ChatCompletionContentPart => ({
    type: 'image_url',
    image_url: { url: `data:${file.mediaType};base64,${placeOf(file)}` },
  }));
  const text: OpenAI.ChatCompletionContentPart[] = content === '' ? [] : [{ type: 'text', text: content }];
  if (images.length > 0) return [...results, { role, content: [...images, ...text] }];
  return content === '' ? results : [...results, { role, content }];
}

function callParam({ id, name, arguments: input }: NonNullable<AiMessage['toolCalls']>[number]) {
  return { id, type: 'function' as const, function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** The parameters that the server has refused in a request. */
export function refusedIn(
  params: Params | ReturnType<typeof streamed>,
  error: { status?: number | undefined; message: string },
): OptionalParameter[] {
  if (params.tools && NO_TOOL_PARSER.test(error.message)) return ['tools'];
  if (!isRefusal(error)) return [];
  const strict = params.tools?.some((tool) => tool.type === 'function' && tool.function.strict);
  // The names of other parameters in the same sentence are advice: "Use 'max_completion_tokens' instead".
  if (strict && error.message.includes('strict')) return ['strict'];
  return OPTIONAL_PARAMETERS.filter((name) => name in params && error.message.includes(name));
}
