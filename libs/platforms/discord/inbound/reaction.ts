import type { GatewayMessageReactionRemoveDispatchData } from 'discord.js';
import type { Reaction } from '../../platform.port';
import { isSnowflake } from '../snowflake';
import { withId } from './message-ids';

/** A person’s reaction, or its end. The bot’s own are none. Discord does not tell the time. */
export function reactionsOf(
  event: GatewayMessageReactionRemoveDispatchData,
  isAdded: boolean,
  botId: string | undefined,
): Reaction[] {
  const { user_id, channel_id, message_id, guild_id } = withId(event, [
    'user_id',
    'channel_id',
    'message_id',
    'guild_id',
  ]);
  const { emoji } = event;
  if (user_id === botId || ![user_id, channel_id, message_id].every(isSnowflake)) return [];
  const name = emoji.id ? `:${emoji.name ?? emoji.id}:` : emoji.name;
  return [
    {
      platformMessageId: message_id,
      participantId: guild_id === undefined ? user_id : channel_id,
      authorId: user_id,
      emoji: isAdded ? name : null,
      at: new Date(),
    },
  ];
}
