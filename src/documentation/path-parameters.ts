import { ID_PREFIXES, PLATFORM_WORDS, type Resource } from '#contracts';

/** A TypeID of a resource, https://github.com/jetify-com/typeid. */
function id(resource: Resource, description: string) {
  const prefix = ID_PREFIXES[resource];
  return {
    description,
    schema: { type: 'string', pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$` },
    example: `${prefix}_01h455vb4pex5vsknk084sn02q`,
  };
}

/** What each path parameter is, by its name. */
export const PATH_PARAMETERS: Readonly<Record<string, object>> = {
  message_id: id('message', 'The message.'),
  conversation_id: id('conversation', 'The conversation.'),
  key_id: id('api_key', 'The API key.'),
  webhook_id: id('webhook', 'The webhook.'),
  delivery_id: id('delivery', 'The delivery: one attempt.'),
  platform: {
    description: 'The platform; `the service` is another word for `telegram`.',
    schema: { type: 'string', enum: [...PLATFORM_WORDS] },
    example: 'telegram',
  },
};
