import { abortError, AiProviderError } from './ai-provider.error';
import { HAND_OVER, type HandOverCall } from '../tools/hand-over.tool';
import { argumentsOf } from './tool-calls';
import type { AiCompletion, AiMessage, AiProvider, AiRequest, AiStreamEvent } from './ai-provider.port';

/** Roughly the bytes of an English token; it need not be exact, only constant. */
const BYTES_PER_TOKEN = 4;
const QUOTED_CHARACTERS = 120;

/** The answer with which the sandbox requests a person: it does so if a message contains "a person". */
const SANDBOX_HAND_OVER: HandOverCall = {
  reason: 'The message asks for a person.',
  summary: 'Sandbox: the message asks for a person.',
};

/** The AI of test keys: it answers the same request alike, sends nothing out of the process, and costs nothing. */
export class SandboxProvider implements AiProvider {
  readonly billable = false;

  async complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion> {
    if (signal?.aborted) throw abortError(signal);
    const last = request.messages.findLast(({ role }) => role === 'user');
    if (!last) throw new AiProviderError('invalid_request', 'There is no user message to answer', { retryable: false });

    const mayHandOver = request.tools?.some(({ name }) => name === HAND_OVER.name);
    const handOver = mayHandOver && /\ba person\b/i.test(last.content) ? SANDBOX_HAND_OVER : undefined;
    const call = handOver ? { name: HAND_OVER.name, arguments: handOver } : calledTool(request, last);
    const whole = call ? '' : replyTo(last, request.messages.length - 1);
    const text = firstTokens(whole, request.maxTokens);
    const input = [request.system, ...request.messages.map(({ content }) => content)];
    return {
      text,
      ...(call && { toolCalls: [{ id: 'call_sandbox', ...call }] }),
      model: request.model,
      tokens: {
        input: input.reduce((sum, part) => sum + sandboxTokens(part), 0),
        output: sandboxTokens(call ? JSON.stringify(call.arguments) : text),
        cacheRead: 0,
        cacheWrite: 0,
      },
      latencyMs: 0,
      stopReason: call ? 'tool_use' : text === whole ? 'end_turn' : 'max_tokens',
    };
  }

  async *stream(request: AiRequest, signal?: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    const completion = await this.complete(request, signal);
    for (const text of completion.text.match(/\S*\s*/g) ?? []) {
      if (signal?.aborted) throw abortError(signal);
      if (text) yield { type: 'delta', text };
    }
    yield { type: 'final', completion };
  }
}

/** The sandbox calls a tool if a message is its name after a slash, perhaps with its arguments: `/order_status {"order_id": "7"}` */
const COMMAND = /^\/([a-z0-9_]+)(?:\s+(\{[^]*\}))?$/;

function calledTool({ tools = [], mustAnswer = false }: AiRequest, { content }: AiMessage) {
  const [, name, json = '{}'] = COMMAND.exec(content.trim()) ?? [];
  if (mustAnswer || !tools.some((tool) => tool.name === name && name !== HAND_OVER.name)) return undefined;
  return { name: name!, arguments: argumentsOf(json) };
}

/** UTF-8 bytes divided by four, rounded up. */
export function sandboxTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function replyTo({ content, toolResults }: AiMessage, contextMessages: number): string {
  if (toolResults)
    return `Sandbox reply with the results of tools: ${toolResults.map((result) => result.content).join(' ')}`;
  const characters = Array.from(content.trim().replaceAll(/\s+/g, ' '));
  const quote = characters.slice(0, QUOTED_CHARACTERS).join('') + (characters.length > QUOTED_CHARACTERS ? '…' : '');
  const context =
    contextMessages === 0
      ? 'no context messages'
      : `${contextMessages} context message${contextMessages === 1 ? '' : 's'}`;
  return `Sandbox reply to "${quote}": no AI model was asked, this is the sandbox. It saw ${context}.`;
}

/** Whole characters only. */
function firstTokens(text: string, maxTokens: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxTokens * BYTES_PER_TOKEN) return text.slice(0, end);
    end += character.length;
  }
  return text;
}
