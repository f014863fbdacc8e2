export const BOT_TOKEN = '4242:bench-token';
/** Proves to the bot that an update comes from Telegram. */
export const WEBHOOK_SECRET = 'bench-secret';
export const CALLBACK_PATH = '/callbacks/telegram';

/** Concurrent update posts, Telegram's default: https://core.telegram.org/bots/api#setwebhook */
export const CALLBACK_CONNECTIONS = 40;

/** Concurrent AI answers: the gateway's default. */
export const ANSWERS_AT_ONCE = 32;
/** Messages of a conversation that the model sees: the gateway's default. */
export const CONTEXT_MESSAGES = 20;
