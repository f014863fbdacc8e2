export const BOT_TOKEN = '4242:bench-token';
/** Proves to a bot that an update comes from Telegram. */
export const WEBHOOK_SECRET = 'bench-secret';
export const CALLBACK_PATH = '/callbacks/telegram';

/** Updates posted at once, as Telegram does by default: https://core.telegram.org/bots/api#setwebhook */
export const CALLBACK_CONNECTIONS = 40;

/** Answers being made at once: the default of the gateway. */
export const ANSWERS_AT_ONCE = 32;
/** The messages of a conversation that the model sees: the default of the gateway. */
export const CONTEXT_MESSAGES = 20;
