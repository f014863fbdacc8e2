import { HAND_OVER } from '../tools/hand-over.tool';
import { AiProviderError } from './ai-provider.error';
import type { AiCompletion, AiRequest, AiToolCall } from './ai-provider.port';

/** The most bytes of JSON in all calls of one answer. */
const MAX_JSON = 1_000_000;
/** Providers accept no other name of a tool. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The calls of tools that the request offers. A call of another tool means nothing beside a text or such calls; alone it is kept, so that
 * the model is told that there is no such tool.
 */
export function offeredCalls(
  { tools = [] }: AiRequest,
  calls: readonly AiToolCall[],
  text: string,
): Pick<AiCompletion, 'toolCalls'> {
  const offered = calls.filter(({ name }) => tools.some((tool) => tool.name === name));
  const isTold = offered.length === 0 && text.trim() === '' && tools.some(({ name }) => name !== HAND_OVER.name);
  const toolCalls = isTold ? calls.filter(({ name }) => name !== HAND_OVER.name && TOOL_NAME.test(name)) : offered;
  return toolCalls.length === 0 ? {} : { toolCalls };
}

/** The arguments of a call as the model wrote them; undefined if they are no JSON. */
export function argumentsOf(json: unknown): unknown {
  if (json === '') return {};
  if (typeof json !== 'string') return json ?? undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

interface Piece {
  id?: string | undefined;
  name?: string | undefined;
  json?: string | undefined;
}

/** Collects the calls of a stream, each of which comes in pieces. */
export class ToolCallPieces {
  private readonly calls = new Map<number, { id: string; name: string; json: string }>();
  private length = 0;

  /** @param index the call that the piece belongs to @throws AiProviderError if the calls are absurdly long */
  add(index: number, { id, name, json = '' }: Piece): void {
    const call = this.calls.get(index) ?? { id: '', name: '', json: '' };
    this.length += json.length;
    if (this.length > MAX_JSON)
      throw new AiProviderError('unavailable', 'The AI provider’s answer is too long', { retryable: false });
    this.calls.set(index, { id: id ?? call.id, name: name ?? call.name, json: call.json + json });
  }

  offered(request: AiRequest, text: string): Pick<AiCompletion, 'toolCalls'> {
    const calls = [...this.calls.values()];
    return offeredCalls(
      request,
      calls.map(({ json, ...call }) => ({ ...call, arguments: argumentsOf(json) })),
      text,
    );
  }
}
