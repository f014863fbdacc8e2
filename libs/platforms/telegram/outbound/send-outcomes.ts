import { TelegramError } from 'telegraf';
import type { SendFailureCode } from '#contracts';
import { TransportError } from '#http-client';
import type { PartRefused } from '../../platform.port';
import { refused } from '../../refusal';
import { retryAfterMs } from '../connection-faults';

interface Refusal {
  code: number;
  /** Telegram distinguishes cases of one code only by words; a row without words is for all other cases. */
  words?: RegExp;
  failure: SendFailureCode;
}

/** The first row that fits counts. The words are those of github.com/tdlib/telegram-bot-api and of the servers behind it. */
const REFUSALS: readonly Refusal[] = [
  { code: 403, words: /blocked by the user|USER_IS_BLOCKED/i, failure: 'blocked_by_recipient' },
  { code: 403, words: /deactivated|kicked|not a member|chat was deleted/i, failure: 'recipient_unreachable' },
  { code: 403, failure: 'not_permitted' },
  { code: 400, words: /USER_IS_BLOCKED/i, failure: 'blocked_by_recipient' },
  {
    code: 400,
    words: /chat not found|user not found|chat_id is empty|PEER_ID_INVALID|thread not found|TOPIC_DELETED/i,
    failure: 'recipient_unreachable',
  },
  { code: 400, words: /chat was (?:deactivated|upgraded)|INPUT_USER_DEACTIVATED/i, failure: 'recipient_unreachable' },
  { code: 400, words: /rights|_FORBIDDEN|CHAT_RESTRICTED|TOPIC_CLOSED|CHAT_ADMIN_REQUIRED/i, failure: 'not_permitted' },
  { code: 400, failure: 'content_rejected' },
  { code: 413, failure: 'content_rejected' },
  { code: 429, failure: 'rate_limited' },
  // A revoked token, a second process, a fault of Telegram's own: nothing was sent, and later it may be.
  { code: 401, failure: 'platform_unavailable' },
  { code: 404, failure: 'platform_unavailable' },
  { code: 409, failure: 'platform_unavailable' },
];

/** Outcome of a failed sendMessage. Telegram's own 5xx answer is a refusal; a proxy's, with another body, is no answer. */
export function refusalOf(error: unknown): PartRefused {
  if (error instanceof TelegramError) {
    const row = REFUSALS.find(({ code, words }) => code === error.code && (words?.test(error.description) ?? true));
    const failure = row?.failure ?? 'platform_unavailable';
    const said = `Telegram: ${error.description}`;
    return { ...refused(failure, said, String(error.code)), retryAfterMs: retryAfterMs(error) };
  }
  if (error instanceof TransportError)
    return refused(error.written ? 'ambiguous' : 'platform_unavailable', error.message);
  // An unexpected error: the request may or may not have been written.
  return refused('ambiguous', 'unexpected error');
}

/** Whether Telegram could not read the markup, or the markup left nothing to show: then the plain text may be sent. */
export function rejectsMarkup(error: unknown): boolean {
  if (!(error instanceof TelegramError) || error.code !== 400) return false;
  return /can't parse entities|message text is empty|text must be non-empty/i.test(error.description);
}

/** Whether Telegram refused the form of the file: it may then be sent as a document. */
export function rejectsForm(error: unknown): boolean {
  if (!(error instanceof TelegramError) || error.code !== 400) return false;
  return /PHOTO_|IMAGE_PROCESS_FAILED|VIDEO_|STICKER_|VOICE_MESSAGES_FORBIDDEN|for a photo|wrong file type/i.test(
    error.description,
  );
}

/** The new id of the chat, if Telegram refused the send because the id has changed. */
export function migratedTo(error: unknown): number | undefined {
  return error instanceof TelegramError ? error.parameters?.migrate_to_chat_id : undefined;
}
