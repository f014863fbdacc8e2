import type { ToolCallStatus } from '#contracts';
import type { Exchange } from '../../../core/egress/receiver-client.service';
import { MAX_ANSWER_BYTES, SEEN_BYTES } from '../tool-limits';
import { firstBytes } from './first-bytes';

/** How a call ended. */
export interface ToolOutcome {
  status: ToolCallStatus;
  ms: number;
  /** As much of the answer as the model sees; null unless the call succeeded. */
  result: string | null;
  /** Why it did not succeed. */
  error: string | null;
}

/** JSON or text; receivers that name no type send text. */
const READABLE = /^(?:text\/|application\/(?:[\w.+-]*\+)?json\b)|^$/i;

export function outcomeOf(exchange: Exchange): ToolOutcome {
  const { responseTimeMs: ms, timedOut, fault } = exchange;
  if (fault !== null) return { status: timedOut ? 'timed_out' : 'failed', ms, result: null, error: fault };
  const error = answerFault(exchange);
  if (error !== undefined) return { status: 'failed', ms, result: null, error };
  return { status: 'success', ms, result: firstBytes(exchange.responseBody!, SEEN_BYTES), error: null };
}

function answerFault({ responseCode, responseHeaders, responseBody }: Exchange): string | undefined {
  const status = responseCode!;
  if (status >= 300 && status < 400) return `The receiver answered ${status}: redirects are not followed`;
  if (status < 200 || status >= 300) return `The receiver answered ${status}`;
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = responseHeaders!;
  if (encoding.toLowerCase() !== 'identity') return 'The answer is compressed';
  if (!READABLE.test(type.trim())) return 'The answer is neither JSON nor text';
  if (Buffer.byteLength(responseBody!) > MAX_ANSWER_BYTES)
    return `The answer has more than ${MAX_ANSWER_BYTES / 1_024} KiB`;
  return undefined;
}
