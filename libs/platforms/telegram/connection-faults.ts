import { TelegramError } from 'telegraf';
import { wordsOf } from '../fault-words';
import { ConnectionError, type ConnectionFault } from '../platform.port';
import { TransportError, clampPause } from '#http-client';

/** Maps an error of a call that keeps the connection. `send-outcomes.ts` maps send errors. */
export function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  if (!(error instanceof TelegramError)) return new ConnectionError(faultOf(error), false);
  // Telegram answers 404 to a malformed token.
  const fatal = error.code === 401 || error.code === 404;
  return new ConnectionError(faultOf(error), fatal, retryAfterMs(error));
}

/** How long to wait after a 429, in milliseconds. */
export function retryAfterMs(error: TelegramError): number | undefined {
  if (error.code !== 429) return undefined;
  return clampPause(Number(error.parameters?.retry_after) * 1_000);
}

/** Whether the same call is likely to succeed a second later. */
export function isPassing(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof TelegramError && error.code >= 500);
}

export function faultOf(error: unknown): ConnectionFault {
  if (error instanceof TransportError)
    return { code: 'unreachable', message: `Telegram cannot be reached: ${error.message}.` };
  if (!(error instanceof TelegramError)) return { code: 'internal_error', message: `Telegram: ${wordsOf(error)}.` };
  const known = FAULTS[error.code];
  const said = `${error.code} ${error.description}`;
  if (known) return { code: known.code, message: `${known.message} (Telegram: ${said})` };
  return { code: error.code >= 500 ? 'platform_unavailable' : 'refused', message: `Telegram answered ${said}.` };
}

const BAD_TOKEN: ConnectionFault = {
  code: 'unauthorized',
  message: 'Telegram refuses the bot token. Use the one that @BotFather shows for the bot.',
};

const FAULTS: Readonly<Record<number, ConnectionFault>> = {
  401: BAD_TOKEN,
  404: BAD_TOKEN,
  409: {
    code: 'conflict',
    message:
      'Another process polls with this bot token: a second installation, an old one that still runs, or a developer’s ' +
      'copy. Stop it, or give it a bot of its own; polling goes on by itself then.',
  },
  429: { code: 'rate_limited', message: 'Telegram limits how fast it may be called.' },
};
