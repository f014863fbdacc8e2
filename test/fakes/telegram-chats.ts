import { type TelegramChat, TelegramFailure } from './telegram-types';

/** Turns `"42"` into `42`: both name the same chat. */
export function chatIdOf(given: string): number | string {
  return /^-?\d+$/.test(given) ? Number(given) : given;
}

/** The known chats, the chats that refuse the bot, and the last message id of each. */
export class TelegramChats {
  readonly #known = new Map<string, TelegramChat>();
  readonly #refusals = new Map<string, TelegramFailure>();
  /** Each chat numbers its own messages, as supergroups do, so a message id is unique only within its chat. */
  readonly #lastMessageIds = new Map<string, number>();

  /** @param strict refuse chats that never wrote, as Telegram does: a bot cannot start a private chat */
  constructor(private readonly strict: boolean) {}

  remember(chat: TelegramChat): void {
    this.#known.set(String(chat.id), chat);
  }

  forget(chatId: number): void {
    this.#known.delete(String(chatId));
  }

  refuse(chatId: number, failure: TelegramFailure): void {
    this.#refusals.set(String(chatId), failure);
  }

  accept(chatId: number): void {
    this.#refusals.delete(String(chatId));
  }

  migrate(from: number, to: number): void {
    const description = 'Bad Request: group chat was upgraded to a supergroup chat';
    this.refuse(from, new TelegramFailure(400, description, { migrate_to_chat_id: to }));
    const title = this.#known.get(String(from))?.title ?? `Chat ${to}`;
    this.remember({ id: to, type: 'supergroup', title });
  }

  /** @throws TelegramFailure if Telegram refuses messages to this chat */
  writable(chatId: number | string): TelegramChat {
    if (chatId === '') throw new TelegramFailure(400, 'Bad Request: chat_id is empty');
    const refusal = this.#refusals.get(String(chatId));
    if (refusal) throw refusal;
    const known = this.#known.get(String(chatId)) ?? this.#named(chatId);
    if (known) return known;
    const possible = typeof chatId === 'number' || chatId.startsWith('@');
    if (this.strict || !possible) throw new TelegramFailure(400, 'Bad Request: chat not found');
    if (typeof chatId === 'string') {
      const id = -1_002_000_000_000 - this.#known.size;
      this.remember({ id, type: 'channel', title: chatId, username: chatId.slice(1) });
      return this.#known.get(String(id))!;
    }
    return chatId < 0
      ? { id: chatId, type: 'supergroup', title: `Chat ${chatId}` }
      : { id: chatId, type: 'private', first_name: `Person ${chatId}` };
  }

  /** The chat that has a name now: the one that was seen with it last. */
  #named(name: number | string): TelegramChat | undefined {
    return [...this.#known.values()].findLast(({ username }) => `@${username}` === name);
  }

  nextMessageId(chatId: number | string): number {
    const id = this.#last(chatId) + 1;
    this.#lastMessageIds.set(String(chatId), id);
    return id;
  }

  hasMessage(chatId: number | string, messageId: number): boolean {
    return messageId >= 1 && messageId <= this.#last(chatId);
  }

  #last(chatId: number | string): number {
    return this.#lastMessageIds.get(String(chatId)) ?? 0;
  }
}
