import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAfterFlush, type Interruption } from './ai-fake';

export interface ChatAnswer {
  id: string;
  model: string;
  choices: {
    index: number;
    message: {
      role: 'assistant';
      content: string | null;
      refusal: string | null;
      tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
    };
    finish_reason: string;
  }[];
  usage?: unknown;
  [other: string]: unknown;
}

interface Options {
  pauseMs: number;
  /** Whether the last chunk has the usage. */
  hasUsage: boolean;
  interruption?: Interruption | undefined;
}

/** Writes the answer as https://platform.openai.com/docs/api-reference/chat-streaming describes. */
export async function streamChat(response: ServerResponse, answer: ChatAnswer, options: Options): Promise<void> {
  const { pauseMs, hasUsage, interruption } = options;
  const { choices, usage, ...head } = answer;
  const emit = (data: object) =>
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...data })}\n\n`);
  const choice = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  emit(choice({ role: 'assistant', content: '' }));
  const [first] = choices;
  if (first) {
    let deltas = 0;
    for (const delta of deltasOf(first.message)) {
      if (interruption && deltas++ >= interruption.afterDeltas) {
        if (interruption.error) response.write(`data: ${JSON.stringify({ error: interruption.error })}\n\n`);
        else await closeAfterFlush(response);
        return;
      }
      if (pauseMs > 0) await sleep(pauseMs);
      if (response.destroyed) return;
      emit(choice(delta));
    }
    emit(choice({}, first.finish_reason));
  }
  if (hasUsage) emit({ choices: [], usage });
  response.write('data: [DONE]\n\n');
}

function* deltasOf({ content, refusal, tool_calls = [] }: ChatAnswer['choices'][number]['message']) {
  // The pieces may split a surrogate pair, as a token may.
  for (let at = 0; at < (content ?? '').length; at += 7) yield { content: content!.slice(at, at + 7) };
  if (refusal) yield { refusal };
  for (const [index, { id, type, function: called }] of tool_calls.entries()) {
    yield { tool_calls: [{ index, id, type, function: { name: called.name, arguments: '' } }] };
    for (let at = 0; at < called.arguments.length; at += 9)
      yield { tool_calls: [{ index, function: { arguments: called.arguments.slice(at, at + 9) } }] };
  }
}
