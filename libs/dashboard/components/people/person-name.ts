import type { ConversationItem } from '#client';

type Participant = ConversationItem['participant'];

/** How a person is called. */
export function nameOf({ name, username, id }: Participant): string {
  return name?.trim() || (username ? `@${username}` : (id ?? 'Erased person'));
}

/** Up to two letters, in place of a picture. */
export function initialsOf(participant: Participant): string {
  const words = nameOf(participant).replace(/^@/, '').split(/\s+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('');
}
