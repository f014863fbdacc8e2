import type { ConversationItem } from '#client';

type Participant = ConversationItem['participant'];
type Conversation = Pick<ConversationItem, 'platform' | 'participant' | 'merged_into'>;

/** The name to show for a person, a group or a topic. */
export function nameOf(participant: Participant): string {
  const { name, username, id } = participant;
  const topic = name?.trim() || username ? topicOf(id) : undefined;
  return topic === undefined ? plainNameOf(participant) : `${plainNameOf(participant)} · topic ${topic}`;
}

function plainNameOf({ name, username, id }: Participant): string {
  return name?.trim() || (username ? `@${username}` : (id ?? 'Erased person'));
}

/** The kind of a conversation, unless it is one with a person. Discord names no user without a username. */
export function kindOf({ platform, participant, merged_into: target }: Conversation) {
  const { id, name, username } = participant;
  if (target !== null) return 'Merged';
  if (id === null) return undefined;
  if (platform === 'telegram') return topicOf(id) === undefined ? (id.startsWith('-') ? 'Group' : undefined) : 'Topic';
  if (platform === 'discord') return name !== null && username === null ? 'Channel' : undefined;
  return id.startsWith(WHATSAPP_GROUP) ? 'Group' : undefined;
}

/** `capi_group:` in base64. */
const WHATSAPP_GROUP = 'Y2FwaV9ncm91cDo';

/** The thread of a Telegram topic. */
function topicOf(id: string | null): string | undefined {
  return /^-?\d+\/(\d+)$/.exec(id ?? '')?.[1];
}

/** Up to two initials, shown instead of a picture. */
export function initialsOf(participant: Participant): string {
  const words = plainNameOf(participant).replace(/^@/, '').split(/\s+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('');
}
