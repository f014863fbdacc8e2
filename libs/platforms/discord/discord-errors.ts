import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { TransportError, clampPause } from '#http-client';
import { ConnectionError, type ConnectionFault, type PartRefused } from '../platform.port';
import { wordsOf } from '../fault-words';
import { refused } from '../refusal';
import { refusal } from './outbound/send-failures';

/** Maps an error of a send. After a 5xx the message may exist all the same. */
export function refusalOf(error: unknown): PartRefused {
  const retryAfterMs = retryAfterOf(error);
  if (retryAfterMs !== undefined) return { ...refused('rate_limited', 'Discord asks to wait', '429'), retryAfterMs };
  if (error instanceof DiscordAPIError) return refusal(codeOf(error), error.status, firstLine(error.message));
  if (error instanceof HTTPError) return refused('ambiguous', `Discord answered ${error.status}`, String(error.status));
  if (error instanceof TransportError)
    return refused(error.written ? 'ambiguous' : 'platform_unavailable', error.message);
  // An unexpected error: the request may or may not have been written.
  return refused('ambiguous', firstLine(wordsOf(error)));
}

/** Maps an error of opening a direct message: in every case nothing was sent. */
export function openingRefusalOf(error: unknown): PartRefused {
  // An invalid form body can only be about the recipient here.
  if (error instanceof DiscordAPIError && codeOf(error) === 50_035)
    return refused('recipient_unreachable', `Discord: ${firstLine(error.message)}`, '50035');
  const outcome = refusalOf(error);
  const { code, platform_code } = outcome.failure;
  return code === 'ambiguous' ? refused('platform_unavailable', firstLine(wordsOf(error)), platform_code) : outcome;
}

/** Any 404 means that no channel has the id: servers that imitate Discord send it without Discord's code. */
export function isUnknownChannel(error: unknown): boolean {
  return error instanceof DiscordAPIError && (error.status === 404 || codeOf(error) === 10_003);
}

/** Whether a repeated request would fail in the same way. */
export function isFinal(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status !== 401;
}

/** Maps an error of a call that keeps the connection. */
export function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const retryAfterMs = retryAfterOf(error);
  if (retryAfterMs !== undefined)
    return new ConnectionError(
      { code: 'rate_limited', message: 'Discord limits how fast it may be called.' },
      false,
      retryAfterMs,
    );
  const fatal = error instanceof DiscordAPIError && error.status === 401;
  return new ConnectionError(fatal ? BAD_TOKEN : faultOf(error), fatal);
}

export function faultOf(error: unknown): ConnectionFault {
  if (error instanceof TransportError)
    return { code: 'unreachable', message: `Discord cannot be reached: ${error.message}.` };
  if (error instanceof HTTPError) return { code: 'platform_unavailable', message: `Discord answered ${error.status}.` };
  if (error instanceof DiscordAPIError)
    return { code: 'refused', message: `Discord answered ${error.status} ${firstLine(error.message)}.` };
  return { code: 'internal_error', message: `Discord: ${firstLine(wordsOf(error))}.` };
}

export const BAD_TOKEN: ConnectionFault = {
  code: 'unauthorized',
  message: 'Discord refuses the bot token. Use the one that the developer portal shows for the bot (Bot, Reset Token).',
};

/** Milliseconds to wait; undefined if the error is no rate limit. discord.js gives 0 if the answer named no time. */
export function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof RateLimitError)) return undefined;
  return clampPause(Math.max(error.retryAfter, error.timeToReset));
}

/** 0 is Discord's "general error". Undefined for a body that is not JSON. */
function codeOf({ code }: DiscordAPIError): number | undefined {
  return Number(code) || undefined;
}

/** Drops the further lines, because they quote the request. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}
