import type { RetryAfter } from './fault-queue';
import type { MessageEntity } from './telegram-html';

/** The types that the fake produces, from https://core.telegram.org/bots/api#available-types. */
export interface TelegramUser {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
}

export type TelegramChatType = 'private' | 'group' | 'supergroup' | 'channel';

export interface TelegramChat {
  id: number;
  type: TelegramChatType;
  title?: string;
  first_name?: string;
  username?: string;
  is_forum?: true;
}

export interface TelegramMessage {
  message_id: number;
  /** The forum topic. */
  message_thread_id?: number;
  is_topic_message?: true;
  from: TelegramUser;
  chat: TelegramChat;
  /** Unix seconds. */
  date: number;
  text?: string;
  entities?: MessageEntity[];
  reply_to_message?: Partial<TelegramMessage> & Pick<TelegramMessage, 'message_id' | 'chat' | 'date'>;
  quote?: { text: string; position: number; is_manual?: true };
  migrate_to_chat_id?: number;
  migrate_from_chat_id?: number;
  [kindOfContent: string]: unknown;
}

export interface TelegramUpdate {
  update_id: number;
  message?: TelegramMessage;
  [kindOfUpdate: string]: unknown;
}

/** An error answer. Its HTTP status equals its `error_code`. */
export class TelegramFailure extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters?: { retry_after?: RetryAfter; migrate_to_chat_id?: number },
  ) {
    super(description);
  }
}

export const CHAT_ACTIONS = new Set([
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
]);

export const USUAL_DESCRIPTIONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden: bot was blocked by the user',
  404: 'Not Found',
  409: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
};
