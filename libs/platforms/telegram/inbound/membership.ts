import type { TelegramChatMember, TelegramChatMemberUpdated } from '@gramio/types/objects';
import type { AccountNotice } from '../../platform.port';
import { isPrivate, ofChat, ofUser } from './participants';

/**
 * The bot joined or left a group or channel: https://core.telegram.org/bots/api#chatmemberupdated. Undefined for a change of its
 * rights, and for a person who blocked it.
 */
export function readMembership(updated: TelegramChatMemberUpdated): AccountNotice | undefined {
  const { chat, from, date, old_chat_member: before, new_chat_member: after } = updated;
  const isIn = isMember(after);
  if (isPrivate(chat) || isMember(before) === isIn) return undefined;
  const group = ofChat(chat);
  const place = `the ${chat.type === 'channel' ? 'channel' : 'group'} ${group.name ?? group.id}`;
  return {
    kind: isIn ? 'added_to_group' : 'removed_from_group',
    severity: isIn ? 'info' : 'warning',
    message: isIn
      ? `The bot was added to ${place}.`
      : `The bot was removed from ${place}: it can no longer write there.`,
    data: { chat: { ...group, type: chat.type }, by: ofUser(from), status: after.status },
    occurredAt: new Date(date * 1_000),
  };
}

function isMember(member: TelegramChatMember): boolean {
  if (member.status === 'restricted') return member.is_member;
  return member.status !== 'left' && member.status !== 'kicked';
}
