import type { Environment } from './environments';

export const PLATFORMS = ['whatsapp', 'telegram', 'discord'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** For people. */
export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = {
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  discord: 'Discord',
};

/** The specification of the API prints Telegram as "the service"; requests may use either word, responses say `telegram`. */
const ALIASES: Readonly<Record<string, Platform>> = { 'the service': 'telegram' };

/** The platform that a request's word names, or undefined. */
export function parsePlatform(word: string): Platform | undefined {
  if ((PLATFORMS as readonly string[]).includes(word)) return word as Platform;
  return Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined;
}

/** Every word a request may use for a platform. */
export const PLATFORM_WORDS: readonly string[] = [...PLATFORMS, ...Object.keys(ALIASES)];

export const INTEGRATION_STATUSES = ['connected', 'disconnected', 'reconnecting'] as const;
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number];

/** The participant id of a topic of a Telegram chat: `<chat id>/<thread id>`. Its conversation is another one than the chat's. */
export function topicId(chatId: string, threadId: number): string {
  return `${chatId}/${threadId}`;
}

/** The id of the chat whose topic a participant is; undefined if it is no topic. */
export function chatOfTopic(platform: Platform, participantId: string): string | undefined {
  const [chatId, threadId] = participantId.split('/');
  return platform === 'telegram' && threadId !== undefined ? chatId : undefined;
}
/** The account that the variables of the environment make. */
export const DEFAULT_ACCOUNT = 'default';

/** One bot or number of a platform, as rows name it. */
export interface AccountKey {
  environment: Environment;
  platform: Platform;
  /** `DEFAULT_ACCOUNT`, or the UUID of an account that the API made. */
  account: string;
}

/** An account as other resources and events show it. */
export interface ShownAccount {
  id: string;
  name: string;
}

/** Longest name of an account, in characters. */
export const MAX_ACCOUNT_NAME = 50;

/** At most so many accounts in an environment. */
export const MOST_ACCOUNTS = 50;
