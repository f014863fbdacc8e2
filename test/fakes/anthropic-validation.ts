import { AnthropicFailure } from './anthropic-errors';
import type { MessagesRequest, Tool } from './anthropic-types';

/**
 * Models that refuse any temperature but the default. Opus 4.7 removed sampling parameters, and the SDK no longer types
 * them. https://platform.claude.com/docs/en/models/sonnet-5/migration-guide
 */
const WITHOUT_SAMPLING = /^claude-(opus-4-[78]|(?:opus|sonnet|haiku|fable|mythos)-(?:[5-9]|preview))(?![0-9])/;

type Check = (request: Record<string, unknown>) => string | undefined;

const CHECKS: Check[] = [
  ({ raw }) => (raw === undefined ? undefined : 'The request body is not valid JSON'),
  ({ model }) => (typeof model === 'string' && model !== '' ? undefined : 'model: Field required'),
  ({ max_tokens }) => (max_tokens === undefined || max_tokens === null ? 'max_tokens: Field required' : undefined),
  ({ max_tokens }) =>
    Number.isInteger(max_tokens) && (max_tokens as number) >= 1
      ? undefined
      : 'max_tokens: Input should be greater than or equal to 1',
  ({ messages }) => (Array.isArray(messages) ? undefined : 'messages: Field required'),
  ({ messages }) => ((messages as unknown[]).length > 0 ? undefined : 'messages: at least one message is required'),
  ({ temperature, model }) => faultOfTemperature(temperature, model as string),
  ({ messages }) => faultOfMessages(messages as MessagesRequest['messages']),
  ({ system }) => faultOfSystem(system),
  ({ tools }) => faultOfTools(tools),
  ({ messages, tools }) => faultOfToolUse(messages as MessagesRequest['messages'], tools),
];

/**
 * Refuses invalid requests with 400 `invalid_request_error`, like the API, and also consecutive messages of one role: today's
 * API joins them, but earlier versions and other providers refuse them.
 */
export function validate(request: Record<string, unknown>): asserts request is MessagesRequest {
  for (const check of CHECKS) {
    const fault = check(request);
    if (fault) throw new AnthropicFailure(400, fault);
  }
}

function faultOfTemperature(temperature: unknown, model: string): string | undefined {
  if (temperature === undefined) return undefined;
  if (typeof temperature !== 'number') return 'temperature: Input should be a valid number';
  if (temperature < 0 || temperature > 1) return 'temperature: range: 0..1';
  if (temperature !== 1 && WITHOUT_SAMPLING.test(model)) return '`temperature` is deprecated for this model.';
  return undefined;
}

function faultOfMessages(messages: MessagesRequest['messages']): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant') return `messages.${index}.role: Input should be 'user' or 'assistant'`;
    if (index === 0 && role !== 'user') return 'messages: first message must use the "user" role';
    if (index > 0 && messages[index - 1]!.role === role)
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`;
    if (typeof content !== 'string' && !Array.isArray(content)) return `messages.${index}.content: Field required`;
    if (content.length === 0) return `messages.${index}: all messages must have non-empty content`;
    const texts =
      typeof content === 'string'
        ? [content]
        : content.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : []));
    if (texts.includes('')) return 'messages: text content blocks must be non-empty';
    if (texts.some((text) => text.trim() === ''))
      return 'messages: text content blocks must contain non-whitespace text';
  }
  return undefined;
}

/** Each call has its result at the beginning of the next message, and the tools are declared. */
function faultOfToolUse(messages: MessagesRequest['messages'], tools: unknown): string | undefined {
  const blocksOf = (index: number) => {
    const { content = '' } = messages[index] ?? {};
    return typeof content === 'string' ? [] : content;
  };
  for (const index of messages.keys()) {
    const called = blocksOf(index).filter(({ type }) => type === 'tool_use');
    const results = blocksOf(index + 1).filter(({ type }) => type === 'tool_result');
    if (called.length > 0 && tools === undefined)
      return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
    if (called.some(({ id }) => !results.some(({ tool_use_id }) => tool_use_id === id)))
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
  }
  return undefined;
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/strict-tool-use */
function faultOfTools(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return 'tools: Input should be a valid list';
  for (const [index, { name, strict, input_schema: schema }] of (tools as Tool[]).entries()) {
    const at = `tools.${index}.custom`;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `${at}.name: String should match pattern`;
    if (schema?.['type'] !== 'object') return `${at}.input_schema.type: Input should be 'object'`;
    if (strict && schema['additionalProperties'] !== false)
      return `${at}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
  }
  return undefined;
}

function faultOfSystem(system: unknown): string | undefined {
  if (system === undefined || typeof system === 'string') return undefined;
  if (!Array.isArray(system)) return 'system: Input should be a valid string or list';
  return system.some(({ text }: { text?: string }) => !text)
    ? 'system: text content blocks must be non-empty'
    : undefined;
}
