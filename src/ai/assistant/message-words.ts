import type { Direction, MessageSender } from '#contracts';
import { quotationOf } from '../../conversations/message-details';
import type { QuotedMessageRow } from '../../conversations/quoted.rows';
import type { InboundOptions, MessageEntity } from '../../messages/entities/message.entity';
import type { OutboundOptions } from '../../messages/send/outbound-message';

const OF_COLLEAGUE = '(A colleague wrote:)';
/** Longest name in front of a message, in UTF-16 units. */
const NAME_LENGTH = 64;

/** The columns `WORDS` of a message. */
export interface WordsRow {
  direction: Direction;
  content: string;
  options: MessageEntity['options'];
  sent_by: MessageSender | null;
  reply_to: string | null;
  quoted: QuotedMessageRow | null;
  /** Who wrote it, in a group. */
  speaker: string | null;
}

/**
 * A message as the assistant sees it: its quotation and, in a group, its author stand before the words. Names the options below a
 * message, and the option that an answer chose, which may be only a number. Marks the messages of colleagues: the assistant must
 * not take them for its own.
 */
export function contentOf(row: WordsRow): string {
  const { direction, content, options, sent_by, speaker, reply_to } = row;
  if (direction === 'inbound') {
    const { interactive_reply: choice } = (options ?? {}) as InboundOptions;
    const chosen = choice && choice.title !== content ? `\n[chosen option: ${choice.title}]` : '';
    const isQuoting = reply_to !== null || (options !== null && 'quoted' in options);
    return `${isQuoting ? quotationLines(row) : ''}${speaker === null ? '' : `${nameOf(speaker)}: `}${content}${chosen}`;
  }
  const { by_colleague, interactive } = (options ?? {}) as Partial<OutboundOptions>;
  const lines = (interactive?.options ?? []).map(({ title }, index) => `[option ${index + 1}: ${title}]`);
  const isColleagues = sent_by === 'phone' || by_colleague;
  return [...(isColleagues ? [OF_COLLEAGUE] : []), content, ...lines].join('\n');
}

/** Each line of a quotation begins with `>`, so that it is not taken for the person's own words. */
function quotationLines(row: WordsRow): string {
  const quotation = quotationOf(row);
  if (!quotation?.content) return '';
  const { sender, content } = quotation;
  const name = sender?.name ?? sender?.username ?? sender?.id;
  const lines = content.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`);
  return `(In reply to ${name === undefined ? 'a message' : nameOf(name)}:)\n${lines.join('\n')}\n`;
}

/** In one line: a name is data of a stranger. */
function nameOf(name: string): string {
  return name.replaceAll(/\s/g, ' ').slice(0, NAME_LENGTH).toWellFormed();
}
