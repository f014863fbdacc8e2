import { statement } from '../../core/database/database.service';

/** SQL that leaves messages out of later contexts. Its parameters are SQL of `leftOut`. */
export const leaveOut = (ids: string, from: string, to: string) => `
  UPDATE messages SET options = coalesce(options, '{}') || '{"in_context": false}'
  WHERE id = ANY(${ids}::uuid[]) AND created_at BETWEEN ${from}::timestamptz AND ${to}::timestamptz`;

export const LEAVE_OUT = statement('message-leave-out', leaveOut('$1', '$2', '$3'));

/** The messages, and the times of the first and the last one, which name their partitions. @param messages at least one */
export function leftOut(messages: readonly { id: string; arrivedAt: Date }[]): [ids: string[], from: Date, to: Date] {
  const times = messages.map(({ arrivedAt }) => arrivedAt.getTime());
  return [messages.map(({ id }) => id), new Date(Math.min(...times)), new Date(Math.max(...times))];
}
