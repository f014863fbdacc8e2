import type { MessageSendParams } from '#client';

export type Content = Omit<MessageSendParams, 'platform' | 'recipient' | 'options'>;

/** Optional parts of a message, besides text and files. */
export interface Extras {
  /** The titles of its buttons. */
  titles: readonly string[];
  /** ISO 8601; undefined: send at once. */
  sendAt: string | undefined;
}

export const NO_EXTRAS: Extras = { titles: [], sendAt: undefined };

/** @param files ids of uploads */
export function contentOf(message: string | undefined, files: readonly string[], { titles, sendAt }: Extras): Content {
  return {
    message,
    attachments: files.length > 0 ? files.map((id) => ({ id })) : undefined,
    interactive:
      titles.length > 0 ? { type: 'choice', options: titles.map((title) => ({ id: title, title })) } : undefined,
    send_at: sendAt,
  };
}
