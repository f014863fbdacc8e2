import type { TelegramMessage } from '@gramio/types/objects';
import { leastCpuOf, LONGEST_MS } from '../../test/support/least-cpu';
import { contentOf as discordContentOf } from './discord/inbound/inbound-content';
import { choiceOf } from './interactive';
import { withoutStop } from './refusal';
import { contentOf as telegramContentOf } from './telegram/inbound/inbound-content';
import { withLinks } from './telegram/inbound/kinds/links';
import { contentOf as whatsAppContentOf } from './whatsapp/inbound/inbound-content';
import { dataOf } from './whatsapp/inbound/message-data';
import type { NotifiedMessage } from './whatsapp/inbound/notification';
import { phoneOf } from './whatsapp/inbound/people';

/** More than any platform passes on. */
const MANY = 100_000;
/** Longest text of a Telegram message. */
const LONGEST_TELEGRAM = 4_096;

const many = <T>(item: T, count = MANY): T[] => Array.from({ length: count }, () => item);
const whatsApp = (message: object) => () => [
  whatsAppContentOf(message as NotifiedMessage),
  dataOf(message as NotifiedMessage),
];
/** Fields of a form whose answers are parsed. */
const FIELDS = 10_000;
const fields = (count: number) => JSON.stringify(Object.fromEntries(many(0, count).map((_, at) => [`f${at}`, at])));
const form = (answers: string) =>
  whatsApp({ type: 'interactive', interactive: { nfm_reply: { response_json: answers, body: 'Sent' } } });
const telegram = (message: object) => () => telegramContentOf(message as TelegramMessage);
const discord = (message: object) => () => discordContentOf(message, { id: '1', username: 'bot' });
const link = (offset: number, length: number) => ({ type: 'text_link' as const, offset, length, url: 'https://a.io' });

describe('a hostile message takes less than 50 ms of CPU:', () => {
  it.each<[string, () => unknown]>([
    ['a form of lists in lists', form('['.repeat(6 * FIELDS) + ']'.repeat(6 * FIELDS))],
    ['a form of objects in objects', form('{"a":'.repeat(2 * FIELDS) + '1' + '}'.repeat(2 * FIELDS))],
    ['a form that is no JSON', form('{"a":'.repeat(MANY))],
    ['a form of empty lists', form(JSON.stringify(many([])))],
    ['a form of many fields', form(fields(FIELDS))],
    ['a form of more fields than are parsed', form(fields(MANY))],
    ['a form of empty lists that are parsed', form(JSON.stringify(many([], 4 * FIELDS)))],
    ['a reply of a new kind', whatsApp({ type: 'interactive', interactive: { type: '_reply'.repeat(MANY), x: 1 } })],
    ['an order', whatsApp({ type: 'order', order: { product_items: many({ quantity: ' 1 ', item_price: '1e9' }) } })],
    [
      'an order with a long id',
      whatsApp({ type: 'order', order: { product_items: [{ product_retailer_id: 'x'.repeat(1e6) }] } }),
    ],
    [
      'a contact of many numbers',
      whatsApp({ type: 'contacts', contacts: [{ phones: many({ phone: '+1' }, 10_000) }] }),
    ],
    ['a file name of spaces', whatsApp({ type: 'document', document: { filename: `a${' '.repeat(MANY)}b` } })],
    ['an id of digits', () => phoneOf(`${'1'.repeat(MANY)}x`)],
    ['an id of brackets', () => phoneOf(`+${'('.repeat(MANY)}`)],
    ['links in a text of spaces', () => withLinks(' '.repeat(LONGEST_TELEGRAM), many(link(0, LONGEST_TELEGRAM), 100))],
    ['more links than Telegram sends', telegram({ text: 'a'.repeat(LONGEST_TELEGRAM), entities: many(link(1, 1)) })],
    [
      'links in reverse order',
      telegram({ text: 'a b'.repeat(1_000), entities: many(0, 100).map((_, at) => link(99 - at, 1)) }),
    ],
    ['a poll', telegram({ poll: { question: '?', options: many({ text: 'x'.repeat(100) }, 100) } })],
    ['a name of dots', telegram({ document: { file_name: `${'.'.repeat(MANY)}x` } })],
    ['mentions that do not end', discord({ content: '<@'.repeat(MANY) })],
    ['mentions of digits', discord({ content: `<@${'1'.repeat(MANY)}` })],
    [
      'unknown mentions',
      discord({ content: '<@!1>'.repeat(MANY / 5), mentions: many({ id: '2', username: 'x' }, 1_000) }),
    ],
    ['embeds', discord({ content: ' '.repeat(4_000), embeds: many({ description: ' '.repeat(4_096) }, 10) })],
    ['forwarded messages', discord({ message_snapshots: many({ message: { content: 'x'.repeat(4_000) } }, 100) })],
    ['the key of an option', () => choiceOf(`#${'1'.repeat(MANY)}x`)],
    ['full stops in the answer of a platform', () => withoutStop(`${' .'.repeat(MANY)}x`)],
  ])('%s', async (_, read) => {
    expect(await leastCpuOf(read)).toBeLessThan(LONGEST_MS);
  });
});
