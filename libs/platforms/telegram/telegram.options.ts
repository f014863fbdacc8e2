/** Configuration of the Telegram adapter. Only tests change the times. */
export interface TelegramOptions {
  /** The token that @BotFather shows. Without it the platform is not configured. */
  token?: string;
  /** Root of the Bot API, `https://api.telegram.org` or a Bot API server of one's own. */
  apiRoot: string;
  /** Where Telegram posts updates (this service's `/callbacks/telegram`); without it the gateway polls for them. */
  webhookUrl?: string;
  /** 1 to 256 of `A-Z a-z 0-9 _ -`; without it, one is derived from the token. */
  webhookSecret?: string;
  timings?: Partial<TelegramTimings>;
}

export interface TelegramTimings {
  /** How long Telegram may hold a poll open, in seconds (1 to 50). */
  pollSeconds: number;
  /** How much longer than that a poll may take, and how long any other call may take, in milliseconds. */
  answerMs: number;
  /** How long a send may take before its outcome counts as unknown, in milliseconds. */
  sendMs: number;
  /** How long Telegram may be silent during a download, in milliseconds. */
  silenceMs: number;
  /** Pause between two checks of the webhook, in milliseconds. */
  webhookCheckMs: number;
  /** Pause between two checks of how many updates wait, while polling, in milliseconds. */
  backlogCheckMs: number;
  /** Pause in milliseconds after a failed poll, or before the gateway asks again for an update that it could not store. */
  pauseMs: number;
}

export const TELEGRAM_TIMINGS: TelegramTimings = {
  pollSeconds: 25,
  answerMs: 10_000,
  sendMs: 20_000,
  silenceMs: 30_000,
  webhookCheckMs: 30_000,
  backlogCheckMs: 30_000,
  pauseMs: 1_000,
};

export const TELEGRAM_OPTIONS = Symbol('TELEGRAM_OPTIONS');
/** The name under which nestjs-telegraf provides the bot. */
export const TELEGRAM_BOT = 'telegram';
