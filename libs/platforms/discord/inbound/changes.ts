import type {
  GatewayMessageDeleteBulkDispatchData,
  GatewayMessageDeleteDispatchData,
  GatewayMessageUpdateDispatchData,
} from 'discord.js';
import type { MessageChange } from '../../platform.port';
import { isSnowflake } from '../snowflake';
import { contentOf, type Bot } from './inbound-content';
import { hasFlag } from './kinds/flags';
import { withId, withStringIds } from './message-ids';

/**
 * The edit of a message by its author. None for other updates, such as the preview of a link or a pin: they have no
 * `edited_timestamp`. Servers may send only the changed fields.
 */
export function editsOf(event: GatewayMessageUpdateDispatchData, bot: Bot): MessageChange[] {
  const message = withStringIds(event);
  if (!isSnowflake(message.id) || authorOf(message) === bot.id) return [];
  if (hasFlag(message, 'SourceMessageDeleted')) return [deletion(message.id)];
  const at = (message.edited_timestamp as string | null | undefined) ?? undefined;
  if (at === undefined || typeof message.content !== 'string') return [];
  const content = contentOf(message, bot)?.content;
  const authorId = authorOf(message);
  const change = { platformMessageId: message.id, ...(authorId !== undefined && { authorId }), at: new Date(at) };
  return content === undefined ? [] : [{ ...change, content }];
}

/** Discord does not tell who deleted them: the author or a moderator. */
export function deletionsOf(
  event: GatewayMessageDeleteDispatchData | GatewayMessageDeleteBulkDispatchData,
): MessageChange[] {
  const ids = 'ids' in event ? event.ids.map((id) => withId({ id }).id) : [withId(event).id];
  return ids.filter(isSnowflake).map(deletion);
}

function deletion(platformMessageId: string): MessageChange {
  return { platformMessageId, content: null, at: new Date() };
}

function authorOf({ author }: { author?: { id: string } | null }): string | undefined {
  return author?.id;
}
