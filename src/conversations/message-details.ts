import { cutText, toPublicId, type Direction } from '#contracts';
import type { InboundOptions, MessageEntity } from '../messages/entities/message.entity';
import { QUOTED_LENGTH, type Quoted, type QuotedMessageRow } from './quoted.rows';
import type { MessageDetailsDto } from './dto/message-details.dto';

interface Quoting {
  options: MessageEntity['options'];
  reply_to: string | null;
  quoted: QuotedMessageRow | null;
}

interface Row extends Quoting {
  direction: Direction;
  sender: MessageEntity['sender'];
}

/** Null for a message that quotes none. A quotation of a message that its author deleted shows no more of it than the message. */
export function quotationOf({ options, reply_to: replyTo, quoted: stored }: Quoting): Quoted | null {
  const told = options !== null && 'quoted' in options ? options.quoted : undefined;
  if (told && !stored?.deleted) return told;
  if (stored) return { sender: stored.sender, content: cutText(stored.content, QUOTED_LENGTH) };
  return told ?? (replyTo === null ? null : { sender: null, content: null });
}

export function isDeleted(options: MessageEntity['options']): boolean {
  return options !== null && 'deleted' in options && options.deleted === true;
}

export function detailsOf(row: Row): MessageDetailsDto {
  const { direction, sender, reply_to: replyTo } = row;
  const options = (row.options ?? {}) as InboundOptions;
  const changedAt = options.changed_at === undefined ? null : new Date(options.changed_at).toISOString();
  const quoted = quotationOf(row);
  return {
    sender: direction === 'inbound' ? sender : null,
    data: options.data ?? null,
    reply_to: quoted && { message_id: replyTo === null ? null : toPublicId('message', replyTo), ...quoted },
    edited_at: options.deleted ? null : changedAt,
    deleted_at: options.deleted ? changedAt : null,
  };
}
