import type { Answer } from './http-fake';
import type { ChatMessage, ChatRequest } from './openai-types';

export const DIALECTS = ['openai', 'azure', 'mistral', 'vllm', 'ollama'] as const;
/** The server that the fake plays. */
export type Dialect = (typeof DIALECTS)[number];

export class ChatFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

const TYPES: Readonly<Record<number, [type: string, code: string | null, message: string]>> = {
  400: ['invalid_request_error', null, 'The request is not valid'],
  401: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
  403: ['invalid_request_error', null, 'Your project does not have access to this resource.'],
  404: ['invalid_request_error', 'model_not_found', 'The model does not exist or you do not have access to it.'],
  413: ['invalid_request_error', null, 'Request too large'],
  429: ['requests', 'rate_limit_exceeded', 'Rate limit reached for requests per min (RPM): Limit 3, Used 3.'],
  500: ['server_error', null, 'The server had an error while processing your request.'],
  503: ['server_error', null, 'The engine is currently overloaded, please try again later.'],
};

/** An error in the words of the server, with the form that its documentation shows. */
export function chatError(dialect: Dialect, status: number, failure?: Partial<ChatFailure>): Answer {
  const [type, usualCode, usual] = TYPES[status] ?? [
    status >= 500 ? 'server_error' : 'invalid_request_error',
    null,
    `Error ${status}`,
  ];
  const message = failure?.message ?? usual;
  const code = failure ? (failure.code ?? null) : usualCode;
  const param = failure?.param ?? null;
  if (dialect === 'mistral' && status === 422) {
    const detail = [{ type: 'extra_forbidden', loc: ['body', param], msg: 'Extra inputs are not permitted' }];
    return { status, body: { object: 'error', message: { detail }, type: 'invalid_request_error', code: null } };
  }
  if (dialect === 'mistral') return { status, body: { object: 'error', message, type, param, code } };
  if (dialect === 'vllm')
    return { status, body: { object: 'error', message, type: 'BadRequestError', param, code: status } };
  return { status, body: { error: { message, type, param, code } } };
}

const NEWER = /^(?:gpt-5|o\d)/;
const KNOWN = new Set([
  'model',
  'messages',
  'max_tokens',
  'temperature',
  'stream',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
]);
const OPENAI_KNOWN = new Set([...KNOWN, 'max_completion_tokens', 'reasoning_effort', 'stream_options']);

interface Abilities {
  /** The model reads images. */
  vision: boolean;
  /** vLLM runs with `--enable-auto-tool-choice`; the model of Ollama knows tools. */
  tools: boolean;
}

/** @throws ChatFailure as the server refuses a request */
export function validateChat(dialect: Dialect, request: ChatRequest, { vision, tools }: Abilities): void {
  const { model, messages, temperature } = request;
  if (!Array.isArray(messages) || messages.length === 0) throw new ChatFailure(400, "'messages' must not be empty");
  if (dialect === 'openai' || dialect === 'azure') refuseOfOpenAi(request);
  if (dialect === 'mistral') refuseOfMistral(request);
  if (temperature !== undefined && (temperature < 0 || temperature > 2))
    throw new ChatFailure(400, 'temperature must be between 0 and 2');
  if (!tools && request.tools) throw new ChatFailure(400, NO_TOOLS[dialect](model));
  for (const message of messages) checkMessage(message, dialect, vision);
}

const NO_TOOLS: Readonly<Record<Dialect, (model: string) => string>> = {
  openai: () => "Unsupported parameter: 'tools' is not supported with this model.",
  azure: () => "Unsupported parameter: 'tools' is not supported with this model.",
  mistral: () => 'Function calling is not enabled for this model: tools are not supported',
  vllm: () => '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  ollama: (model) => `registry.ollama.ai/library/${model} does not support tools`,
};

function refuseOfOpenAi(request: ChatRequest): void {
  const { model, max_tokens, temperature, reasoning_effort: effort } = request;
  const foreign = Object.keys(request).find((name) => !OPENAI_KNOWN.has(name));
  if (foreign) throw new ChatFailure(400, `Unrecognized request argument supplied: ${foreign}`, null, foreign);
  if (!NEWER.test(model)) {
    if (effort !== undefined) throw new ChatFailure(400, `Unrecognized request argument supplied: reasoning_effort`);
    return;
  }
  if (max_tokens !== undefined)
    throw new ChatFailure(
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'unsupported_parameter',
      'max_tokens',
    );
  if (temperature !== undefined && temperature !== 1)
    throw new ChatFailure(
      400,
      `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      'unsupported_value',
      'temperature',
    );
}

/** Mistral refuses fields that it does not know, and roles that do not alternate. */
function refuseOfMistral(request: ChatRequest): void {
  const foreign = Object.keys(request).find((name) => !KNOWN.has(name));
  if (foreign) throw new ChatFailure(422, '', null, foreign);
  const roles = request.messages.map(({ role }) => role).filter((role) => role !== 'system' && role !== 'tool');
  if (roles.some((role, index) => index > 0 && role === roles[index - 1]))
    throw new ChatFailure(400, 'Expected last role User or Tool (or Assistant with prefix True)');
}

function checkMessage(
  { role, content, tool_calls, tool_call_id }: ChatMessage,
  dialect: Dialect,
  vision: boolean,
): void {
  if (role === 'tool' && !tool_call_id) throw new ChatFailure(400, "Missing required parameter: 'tool_call_id'");
  if (content === '' || (content === null && !tool_calls)) throw new ChatFailure(400, 'a message has no content');
  for (const part of Array.isArray(content) ? content : []) {
    if (part.type !== 'text' && part.type !== 'image_url')
      throw new ChatFailure(400, `Invalid content type: ${part.type}`);
    if (part.type !== 'image_url') continue;
    if (!vision)
      throw new ChatFailure(
        400,
        dialect === 'vllm'
          ? 'This model is not a multimodal model: At most 0 image(s) may be provided in one prompt.'
          : 'Invalid content type. image_url is only supported by certain models.',
      );
    const bytes = Buffer.from(part.image_url!.url.replace(/^data:[^,]*;base64,/, ''), 'base64');
    if (!/^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF)/.test(bytes.toString('latin1', 0, 4)))
      throw new ChatFailure(
        400,
        'You uploaded an invalid image: the image data you provided does not represent a valid image.',
        'invalid_image_format',
      );
  }
}
