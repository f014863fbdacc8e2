import type { DiscordUser } from './discord-types';

/** https://discord.com/developers/docs/resources/message#message-snapshot-object */
const SNAPSHOT_FIELDS = new Set([
  'type',
  'content',
  'embeds',
  'attachments',
  'timestamp',
  'edited_timestamp',
  'flags',
  'mentions',
  'mention_roles',
  'sticker_items',
  'components',
]);

/** The fields of a forwarded message that Discord sends with the new one. */
export function snapshotOf(original: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(original).filter(([field]) => SNAPSHOT_FIELDS.has(field)));
}

/** https://discord.com/developers/docs/resources/message#message-reference-structure */
export function referenceTo({ id, channel_id }: { id: string; channel_id: string }): Record<string, unknown> {
  return { type: 0, message_id: id, channel_id };
}

/** https://discord.com/developers/docs/resources/poll#poll-object */
export function pollOf(question: string, answers: readonly string[]): Record<string, unknown> {
  return {
    question: { text: question },
    answers: answers.map((text, index) => ({ answer_id: index + 1, poll_media: { text } })),
    expiry: null,
    allow_multiselect: false,
    layout_type: 1,
  };
}

export function person(id: string, username = `person_${id}`): DiscordUser {
  return { id, username, global_name: `Person ${id}` };
}
