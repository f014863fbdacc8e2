import { randomInt } from 'node:crypto';
import { toPublicId } from '#contracts';
import { CONVERSATIONS, conversationUuid, DAYS } from './list-rows';

const PER_PAGE = 20;
const DAY_MS = 86_400_000;

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** A random page of a list of about this many messages. */
const anyPage = (messages: number) => 1 + randomInt(Math.max(1, Math.ceil(messages / PER_PAGE)));

/** Every kind of list request; each is equally frequent. */
const MIX: readonly ((messages: number) => Record<string, string | number>)[] = [
  () => ({}),
  () => ({ page: 1 + randomInt(10) }),
  (messages) => ({ page: anyPage(messages) }),
  (messages) => ({ page: anyPage(messages), sort: 'created_at' }),
  () => ({ platform: 'telegram' }),
  (messages) => ({ platform: 'whatsapp', page: anyPage(messages / 3) }),
  (messages) => ({ platform: 'discord', page: anyPage(messages / 2_000) }),
  (messages) => ({ direction: 'inbound', page: anyPage(messages / 2) }),
  (messages) => ({ platform: 'telegram', direction: 'outbound', page: anyPage(messages / 3) }),
  () => ({ start_date: daysAgo(7), page: 1 + randomInt(3) }),
  (messages) => ({ start_date: daysAgo(60), end_date: daysAgo(30), page: anyPage((messages * 30) / DAYS) }),
  (messages) => ({ start_date: daysAgo(30), direction: 'inbound', page: anyPage((messages * 15) / DAYS) }),
  () => ({ conversation_id: toPublicId('conversation', conversationUuid(randomInt(CONVERSATIONS))) }),
];

/** One path (after `/api/v1`) per kind of request. @param messages length of the list */
export function oneOfEach(messages: number): string[] {
  return MIX.map((parameters) => path(parameters(messages)));
}

/** @returns a function that returns the path of the next request */
export function mixedRequests(messages: number): () => string {
  let index = 0;
  return () => path(MIX[index++ % MIX.length]!(messages));
}

function path(parameters: Record<string, string | number>): string {
  const pairs = Object.entries({ per_page: PER_PAGE, ...parameters }).map(([name, value]) => `${name}=${value}`);
  return `/messages?${pairs.join('&')}`;
}
