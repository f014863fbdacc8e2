import type { APIMessage, GatewayMessageCreateDispatchData } from 'discord.js';
import { PART, type Row } from './row';

type Field = keyof APIMessage | keyof GatewayMessageCreateDispatchData;

/** https://discord.com/developers/docs/resources/message#message-object */
export const MESSAGE_FIELDS: Readonly<Record<Field, Row>> = {
  content: { becomes: 'message', form: 'the text; a mention as `@name`' },
  attachments: {
    becomes: 'message',
    form: '[image name], [video name], [audio name], [voice message] or [document name]',
  },
  sticker_items: { becomes: 'message', form: '[sticker name]' },
  poll: { becomes: 'message', form: '[poll] question answer / answer' },
  message_snapshots: { becomes: 'message', form: '[forwarded] the words of the forwarded message' },
  embeds: {
    becomes: 'message',
    form: '[embed] author, title (address), description, fields and footer, a line each; no preview of a link in the text',
  },
  components: { becomes: 'message', form: 'see the types of components' },
  activity: { becomes: 'message', form: '[invitation] application' },
  shared_client_theme: { becomes: 'message', form: '[theme] colours' },
  id: PART,
  channel_id: PART,
  guild_id: PART,
  channel_type: PART,
  author: PART,
  member: PART,
  timestamp: PART,
  edited_timestamp: PART,
  tts: PART,
  mention_everyone: PART,
  mentions: PART,
  mention_roles: PART,
  mention_channels: PART,
  reactions: PART,
  nonce: PART,
  pinned: PART,
  webhook_id: PART,
  type: PART,
  application: PART,
  application_id: PART,
  message_reference: PART,
  referenced_message: PART,
  flags: PART,
  interaction_metadata: PART,
  interaction: PART,
  thread: PART,
  stickers: PART,
  position: PART,
  role_subscription_data: PART,
  resolved: PART,
  call: PART,
};
