import type { APIMessage } from 'discord.js';
import type { QuotedMessage } from '../../platform.port';
import { isSnowflake } from '../snowflake';
import { contentOf, type Bot } from './inbound-content';
import { hasFlag } from './kinds/flags';
import { withId } from './message-ids';
import { ofUser } from './participants';

/**
 * The message that this one answers: https://discord.com/developers/docs/resources/message#message-reference-types. A forwarded
 * message and one of a followed channel refer to their source, which is no quotation.
 */
export function quotationOf(message: APIMessage, bot: Bot): QuotedMessage | undefined {
  const { message_reference: reference, referenced_message: quoted } = message;
  if (!reference || (reference.type ?? 0) !== 0 || hasFlag(message, 'IsCrosspost')) return undefined;
  const { message_id } = withId(reference, ['message_id']);
  if (message_id === undefined || !isSnowflake(message_id)) return undefined;
  const author = quoted?.author;
  const content = quoted ? contentOf(quoted, bot)?.content : undefined;
  return {
    platformMessageId: message_id,
    ...(author && isSnowflake(author.id) && { sender: ofUser(author) }),
    ...(content !== undefined && { content }),
  };
}
