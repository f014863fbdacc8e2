import type { TelegramMessage, TelegramUpdate } from '@gramio/types/objects';
import type { InboundOutcome, InboundRow } from '../../../inbound-table';
import type { Payload } from '../../bot-api';

export type UpdateKind = Exclude<keyof TelegramUpdate, 'update_id'>;

const COUNTED = { becomes: 'counted' } as const;

/** How the gateway handles each kind of update. The listener has a method for each that is not counted. */
export const UPDATE_KINDS: Readonly<Record<UpdateKind, { becomes: InboundOutcome; form?: string }>> = {
  message: { becomes: 'message', form: 'see the fields of `Message`' },
  edited_message: { becomes: 'change', form: 'the new words' },
  callback_query: { becomes: 'message', form: 'the title of the button that the person tapped' },
  message_reaction: { becomes: 'reaction', form: 'emoji' },
  my_chat_member: {
    becomes: 'notice',
    form: '`added_to_group` or `removed_from_group`; counted in private chats and for other changes',
  },
  channel_post: { becomes: 'counted', form: 'posts of channels are publications; their copies in groups are messages' },
  edited_channel_post: COUNTED,
  business_connection: { becomes: 'counted', form: 'the gateway does not serve chats of a person’s business account' },
  business_message: COUNTED,
  edited_business_message: COUNTED,
  deleted_business_messages: COUNTED,
  guest_message: { becomes: 'counted', form: 'the gateway does not answer in chats that the bot is not in' },
  message_reaction_count: { becomes: 'counted', form: 'counts of anonymous reactions' },
  inline_query: COUNTED,
  chosen_inline_result: COUNTED,
  shipping_query: COUNTED,
  pre_checkout_query: COUNTED,
  purchased_paid_media: COUNTED,
  poll: COUNTED,
  poll_answer: COUNTED,
  chat_member: COUNTED,
  chat_join_request: COUNTED,
  chat_boost: COUNTED,
  removed_chat_boost: COUNTED,
  managed_bot: COUNTED,
  subscription: COUNTED,
  stopped_message_generation: COUNTED,
};

/** Telegram sends three of the kinds only to a bot that names them, so the gateway names all. Telegraf knows fewer. */
export const ALLOWED_UPDATES = Object.keys(UPDATE_KINDS) as NonNullable<Payload<'getUpdates'>['allowed_updates']>;

/** The update that the listener reads, or the name under which the update is counted. */
export type Dispatch = { update: TelegramUpdate } | { ignored: string };

/** An update of a kind that is new at Telegram is read as a message of that kind, if it has a chat and an id. */
export function dispatchOf(update: TelegramUpdate): Dispatch {
  const [kind, content] = Object.entries(update).find(([, value]) => typeof value === 'object' && value !== null) ?? [];
  if (kind !== undefined && Object.hasOwn(UPDATE_KINDS, kind))
    return UPDATE_KINDS[kind as UpdateKind].becomes === 'counted' ? { ignored: kind } : { update };
  const { message_id, chat, from, sender_chat, date } = (content ?? {}) as Partial<TelegramMessage>;
  if (kind === undefined || !chat || message_id === undefined) return { ignored: 'unknown_update' };
  const message = { message_id, chat, from, sender_chat, date, [kind]: true } as TelegramMessage;
  return { update: { update_id: update.update_id, message } };
}

/** The rows for docs/platforms.md. */
export const UPDATE_ROWS: readonly InboundRow[] = Object.entries(UPDATE_KINDS).map(([kind, { becomes, form }]) => ({
  kind,
  becomes,
  ...(form !== undefined && { words: form }),
}));
