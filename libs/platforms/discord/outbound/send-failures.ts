import type { SendFailureCode } from '#contracts';
import type { PartRefused } from '../../platform.port';
import { refused } from '../../refusal';

/** Discord's JSON error codes (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json) that a send may meet. */
const BY_CODE: Readonly<Record<number, SendFailureCode>> = {
  10003: 'recipient_unreachable', // unknown channel
  10013: 'recipient_unreachable', // unknown user
  20009: 'content_rejected', // explicit content
  20016: 'rate_limited', // slow mode
  20022: 'rate_limited', // announcement edits
  20026: 'not_permitted', // the bot is flagged by the anti-spam system
  20028: 'rate_limited', // writes to this channel
  40001: 'platform_unavailable', // unauthorized
  40002: 'not_permitted', // the account must be verified
  40003: 'rate_limited', // direct messages opened too fast
  40005: 'content_rejected', // a file is too large
  50001: 'not_permitted', // missing access
  50006: 'content_rejected', // empty message
  50007: 'blocked_by_recipient', // takes no messages from the bot: blocked it, or has direct messages switched off
  50008: 'not_permitted', // not a text channel
  50013: 'not_permitted', // missing permissions
  50014: 'platform_unavailable', // invalid token
  50033: 'recipient_unreachable', // invalid recipient
  50035: 'content_rejected', // invalid form body
  50083: 'not_permitted', // archived thread
  50278: 'not_permitted', // no server in common with the user
  160002: 'not_permitted', // may not reply without reading the history
  200000: 'content_rejected', // AutoMod
  200001: 'content_rejected', // AutoMod, title
  240000: 'content_rejected', // harmful link
};

/** Used for unlisted codes, and answers without a code. */
const BY_STATUS: Readonly<Record<number, SendFailureCode>> = {
  400: 'content_rejected',
  401: 'platform_unavailable',
  403: 'not_permitted',
  404: 'recipient_unreachable',
  413: 'content_rejected',
  429: 'rate_limited',
};

/** Maps Discord's refusal. @param code its JSON error code, if it gave one @param status of the HTTP answer */
export function refusal(code: number | undefined, status: number, said: string): PartRefused {
  const failure = (code ? BY_CODE[code] : undefined) ?? BY_STATUS[status] ?? 'platform_unavailable';
  return refused(failure, `Discord: ${said}`, String(code || status));
}
