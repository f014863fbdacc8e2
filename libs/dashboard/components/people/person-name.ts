import type { ConversationItem } from '#client';

type Participant = ConversationItem['participant'];

/** The name to show for a person. */
export function nameOf({ name, username, id }: Participant): string {
  return name?.trim() || (username ? `@${username}` : (id ?? 'Erased person'));
}

/** Up to two initials, shown instead of a picture. */
export function initialsOf(participant: Participant): string {
  const words = nameOf(participant).replace(/^@/, '').split(/\s+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('');
}
