import type { EventSubject } from '../core/events/domain-event';

/** The messages that a call for a reply is about. */
export interface CallRange {
  /** UUID of the first message that the model sees; undefined if the context was not read. */
  firstMessageId?: string;
  /** UUID of the newest message to answer. */
  lastMessageId: string;
  /** Positions in the conversation of the messages to answer. */
  answers: { from: number; to: number };
}

/** @param conversationId null for a call that belongs to no conversation */
export function subjectOf(conversationId: string | null, range: CallRange | undefined): EventSubject | undefined {
  if (conversationId === null) return undefined;
  return { conversationId, messageId: range?.lastMessageId, answersFrom: range?.answers.from };
}
