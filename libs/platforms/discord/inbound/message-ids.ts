import type { APIMessage } from 'discord.js';

/** Turns numeric ids of other servers into strings. Leaves other values as they are: their reader refuses them. */
export function withStringIds<Message extends APIMessage | null>(message: Message): Message {
  if (!message) return message;
  const { author, mentions, referenced_message: answered } = message as Partial<APIMessage>;
  return {
    ...withId(message, ['id', 'channel_id', 'guild_id']),
    author: withId(author),
    ...(Array.isArray(mentions) && { mentions: mentions.map((mention) => withId(mention)) }),
    ...(answered && { referenced_message: { ...answered, author: withId(answered.author) } }),
  };
}

/** A number above 2^53 was rounded and is another id. */
export function withId<Thing>(thing: Thing, fields = ['id']): Thing {
  if (typeof thing !== 'object' || thing === null) return thing;
  const isId = ([name, value]: [string, unknown]): boolean => fields.includes(name) && Number.isSafeInteger(value);
  const ids = Object.entries(thing).filter(isId);
  return { ...thing, ...Object.fromEntries(ids.map(([name, id]) => [name, String(id)])) };
}
