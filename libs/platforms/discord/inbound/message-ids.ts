import type { APIMessage } from 'discord.js';

/** Ids are strings; a server that only speaks like Discord may give numbers. What is no id stays, for its reader to refuse. */
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

/** A number that is too large to be exact is another id than the one that was meant. */
export function withId<Thing>(thing: Thing, fields = ['id']): Thing {
  if (typeof thing !== 'object' || thing === null) return thing;
  const isId = ([name, value]: [string, unknown]): boolean => fields.includes(name) && Number.isSafeInteger(value);
  const ids = Object.entries(thing).filter(isId);
  return { ...thing, ...Object.fromEntries(ids.map(([name, id]) => [name, String(id)])) };
}
