import { hasScope, PLATFORM_NAMES, type Scope } from '#contracts';
import type { AnsweredStepDto } from './dto/timeline-steps.dto';
import type { SummaryDto, TimelineStepDto } from './dto/timeline.dto';
import type { ChainMessage, ReplyState } from './timeline.rows';

type Summary = Pick<SummaryDto, 'outcome' | 'sentence'> & { nextTryAt?: Date };

/**
 * Says in one sentence what became of the messages of a chain.
 * @param steps of the whole chain, oldest first, also those that the caller may not see
 * @param reply undefined: the assistant was never asked in the conversation
 */
export function summaryOf(
  messages: readonly ChainMessage[],
  steps: readonly TimelineStepDto[],
  reply: ReplyState | undefined,
  scopes: readonly Scope[],
): SummaryDto {
  const inbound = newest(messages, 'inbound');
  const outbound = newest(messages, 'outbound');
  const { outcome, sentence, nextTryAt } = outbound
    ? ofOutbound(outbound, inbound !== undefined)
    : ofInbound(inbound!, steps, reply, hasScope(scopes, 'read:status'));
  return { outcome, sentence, next_try_at: nextTryAt?.toISOString() ?? null };
}

function newest(messages: readonly ChainMessage[], direction: ChainMessage['direction']): ChainMessage | undefined {
  return messages.filter((message) => message.direction === direction).toSorted((one, next) => next.seq - one.seq)[0];
}

function ofOutbound(message: ChainMessage, isAnswer: boolean): Summary {
  const { status, failure, platform, send_at, read_at, delivered_at } = message;
  const what = isAnswer ? 'The answer' : 'The message';
  if (status === 'scheduled') return { outcome: 'scheduled', sentence: `Scheduled for ${momentOf(send_at!)}.` };
  if (status === 'cancelled') return { outcome: 'cancelled', sentence: 'Cancelled before it was sent.' };
  if (status === 'failed') return { outcome: 'failed', sentence: withReason(`${what} was not sent`, failure?.message) };
  if (status === 'pending') return { outcome: 'waiting', sentence: `${what} waits for ${PLATFORM_NAMES[platform]}.` };
  if (isAnswer) return { outcome: 'answered', sentence: read_at ? 'Answered, and read.' : 'Answered.' };
  if (read_at) return { outcome: 'read', sentence: 'Read by the recipient.' };
  if (delivered_at) return { outcome: 'delivered', sentence: 'Delivered.' };
  return { outcome: 'sent', sentence: `${PLATFORM_NAMES[platform]} accepted the message.` };
}

function ofInbound(
  { seq, options }: ChainMessage,
  steps: readonly TimelineStepDto[],
  reply: ReplyState | undefined,
  maySeeStatus: boolean,
): Summary {
  if (!reply || reply.requested_seq < seq || (options && 'expects_reply' in options))
    return { outcome: 'not_wanted', sentence: 'The message gets no answer by the assistant.' };
  const { answered_seq, next_at, last_error, is_waiting } = reply;
  const known = maySeeStatus ? (last_error?.message ?? reasonIn(steps)) : undefined;
  if (next_at && answered_seq < seq) {
    if (!last_error || !is_waiting) return { outcome: 'answering', sentence: 'The assistant is answering.' };
    const sentence = `${withReason('No answer', known)} Next try ${timeOf(next_at)}.`;
    return { outcome: 'unanswered', sentence, nextTryAt: next_at };
  }
  return { outcome: 'unanswered', sentence: withReason('No answer', known) };
}

/** Why the last call had no answer, or the answer was not sent. */
function reasonIn(steps: readonly TimelineStepDto[]): string | undefined {
  const last = steps.findLast(({ step, data }) => step === 'not_sent' || (data as Partial<AnsweredStepDto>).error);
  return last?.title.replace(/^No answer(?: was sent)?: /, '');
}

function withReason(words: string, reason: string | undefined): string {
  if (reason === undefined) return `${words}.`;
  const [first = '', second = ''] = reason;
  // An abbreviation such as “AI” stays.
  const isWord = second !== second.toUpperCase();
  return `${words}: ${isWord ? first.toLowerCase() : first}${reason.slice(1).replace(/\.$/, '')}.`;
}

function momentOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function timeOf(date: Date): string {
  return `${date.toISOString().slice(11, 19)} UTC`;
}
