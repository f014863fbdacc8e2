import { PLATFORM_WORDS, type Resource } from '#contracts';
import { publicIdSchema } from './api-id.decorator';

function id(resource: Resource, description: string) {
  const { pattern, example } = publicIdSchema(resource);
  return { description, schema: { type: 'string', pattern }, example };
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
