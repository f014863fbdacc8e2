import type { TelegramMessageReactionUpdated } from '@gramio/types/objects';
import type { Reaction } from '../../platform.port';
import { messageIdOf, ofChat, ofUser } from './participants';

/** Reactions of one person to a message: https://core.telegram.org/bots/api#messagereactionupdated. `new_reaction` holds all of theirs. */
export function readReaction(updated: TelegramMessageReactionUpdated): Reaction | undefined {
  const { chat, user, actor_chat: actor, date, new_reaction: reactions } = updated;
  const author = user ? ofUser(user) : actor && ofChat(actor);
  if (!author) return undefined;
  const emojis = reactions.map((one) => (one.type === 'emoji' ? one.emoji : `[${one.type}]`));
  return {
    platformMessageId: messageIdOf({ chat, message_id: updated.message_id }),
    participantId: String(chat.id),
    authorId: author.id,
    emoji: emojis.join('') || null,
    at: new Date(date * 1_000),
  };
}
