import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAfterFlush, type Interruption } from './ai-fake';
import type { Usage } from './anthropic-types';

export interface ToolCall {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
  caller: { type: 'direct' };
}

export interface AnsweredMessage {
  content: (
    | { type: 'thinking'; thinking: string; signature: string }
    | { type: 'text'; text: string; citations: null }
    | ToolCall
  )[];
  stop_reason: string;
  usage: Usage;
  [other: string]: unknown;
}

const EMPTY = { text: { text: '' }, thinking: { thinking: '', signature: '' }, tool_use: { input: {} } };

/** Writes the message as https://platform.claude.com/docs/en/build-with-claude/streaming describes. */
export async function streamMessage(
  response: ServerResponse,
  message: AnsweredMessage,
  { pauseMs, interruption }: { pauseMs: number; interruption?: Interruption | undefined },
): Promise<void> {
  const emit = (type: string, data: Record<string, unknown>) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const { usage, stop_reason, content } = message;
  const started = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  emit('message_start', { message: started });
  emit('ping', {});
  let deltas = 0;
  for (const [index, block] of content.entries()) {
    const empty = { ...block, ...EMPTY[block.type] };
    emit('content_block_start', { index, content_block: empty });
    for (const delta of deltasOf(block)) {
      if (interruption && deltas++ >= interruption.afterDeltas) {
        if (interruption.error) emit('error', interruption.error);
        else await closeAfterFlush(response);
        return;
      }
      if (pauseMs > 0) await sleep(pauseMs);
      if (response.destroyed) return;
      emit('content_block_delta', { index, delta });
    }
    emit('content_block_stop', { index });
  }
  emit('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  emit('message_stop', {});
}

function deltasOf(block: AnsweredMessage['content'][number]): Record<string, unknown>[] {
  if (block.type === 'thinking')
    return [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ];
  if (block.type === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  // Splits between words, so no delta ends inside a surrogate pair.
  const words = block.text.match(/\s*\S+\s*?|\s+/gu) ?? [];
  return words.map((text) => ({ type: 'text_delta', text }));
}
