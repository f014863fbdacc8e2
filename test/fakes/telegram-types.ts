import type { RetryAfter } from './fault-queue';
import type { MessageEntity } from './telegram-html';

/** https://core.telegram.org/bots/api#available-types, as far as the fake produces them. */
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
}

export interface TelegramMessage {
  message_id: number;
  from: TelegramUser;
  chat: TelegramChat;
  /** Unix seconds. */
  date: number;
  text?: string;
  entities?: MessageEntity[];
  reply_to_message?: Pick<TelegramMessage, 'message_id' | 'chat' | 'date'>;
  migrate_to_chat_id?: number;
  migrate_from_chat_id?: number;
  [kindOfContent: string]: unknown;
}

export interface TelegramUpdate {
  update_id: number;
  message?: TelegramMessage;
  [kindOfUpdate: string]: unknown;
}

/** A refusal: the HTTP status is the `error_code`. */
export class TelegramFailure extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters?: { retry_after?: RetryAfter; migrate_to_chat_id?: number },
  ) {
    super(description);
  }
}
