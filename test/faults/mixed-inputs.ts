import { DISCORD_TABLES, TELEGRAM_TABLES } from '#platforms';
import { WHATSAPP_TABLES } from '../../libs/platforms/whatsapp/inbound/inbound-tables';
import { EXAMPLES as DISCORD } from '../conformance/discord-examples';
import { MESSAGE as DISCORD_MESSAGE } from '../conformance/discord-receiver';
import { MESSAGE_EXAMPLES, UPDATE_EXAMPLES } from '../conformance/telegram-examples';
import { MESSAGE as TELEGRAM_MESSAGE } from '../conformance/telegram-receiver';
import { about } from '../conformance/whatsapp-callbacks';
import { EXAMPLES as WHATSAPP, PERSON } from '../conformance/whatsapp-inbound.examples';

/** One input of a platform. Its token is in all its ids and times, so that everything that it becomes is found. */
export interface Input {
  platform: 'telegram' | 'whatsapp' | 'discord';
  /** Title of the table and kind of the row. */
  row: string;
  becomes: string;
  token: string;
  /** A message that a change or reaction is about: it comes first. */
  seed?: object;
  body: object;
}

/** The first token. The examples use this second too. */
const FIRST = 1_795_860_000;
export const TOKEN = /1795860\d{3}/;

/** A session of Discord has these events by itself. */
const OF_SESSIONS = new Set(['READY', 'RESUMED']);
/** These change a message that was there before. */
const NEEDS_SEED = new Set(['change', 'reaction']);

type Make = (token: string) => Input;

/** @returns so many inputs: each row of each table in turn */
export function mixedInputs(count: number): Input[] {
  const rows = [...telegramRows(), ...whatsappRows(), ...discordRows()];
  return Array.from({ length: count }, (_, index) => rows[index % rows.length]!(String(FIRST + index)));
}

/** Replaces ids and times of an example. */
function renamed(value: object, pairs: readonly (readonly [RegExp, string])[]): object {
  return JSON.parse(pairs.reduce((text, [from, to]) => text.replace(from, to), JSON.stringify(value))) as object;
}

function telegramRows(): Make[] {
  const [updates, fields] = TELEGRAM_TABLES.map(({ rows }) => rows);
  const examples = [
    ...updates!.map((row) => ({ ...row, update: { [row.kind]: UPDATE_EXAMPLES[row.kind as 'message'] } })),
    ...fields!.map((row) => ({
      ...row,
      update: { message: { ...TELEGRAM_MESSAGE, ...MESSAGE_EXAMPLES[row.kind as 'text'][0] } },
    })),
  ];
  return examples.map(({ kind, becomes, update }) => (token) => {
    const pairs = [
      [/1795860000/g, token],
      [/"id":41\b/g, `"id":${token}`],
      [/-1001[012]\b/g, `-100${token}`],
      [/"id":"c"/g, `"id":"c${token}"`],
      [/"media_group_id":"5"/g, `"media_group_id":"${token}"`],
    ] as const;
    const update_id = Number(token);
    const seed = { update_id: update_id - FIRST, message: { ...UPDATE_EXAMPLES.message, text: 'Three crates' } };
    const input = { platform: 'telegram', row: `Telegram: ${kind}`, becomes, token } as const;
    return withSeed({ ...input, body: renamed({ update_id, ...update }, pairs) }, renamed(seed, pairs));
  });
}

function whatsappRows(): Make[] {
  return WHATSAPP_TABLES.flatMap(({ title, rows }) =>
    rows.map(({ kind, becomes }): Make => (token) => {
      const { field, value } = WHATSAPP[title]![kind]!;
      const pairs = [
        [/1795860000/g, token],
        [new RegExp(PERSON, 'g'), `49${token}`],
        [/491709999999/g, `48${token}`],
        [/(wamid\.\w+)/g, `$1.${token}`],
        [/(wacid\.\w+)/g, `$1.${token}`],
        [/MX\.3000000000/g, `MX.${token}`],
      ] as const;
      const callback = (name: string, given: object) => ({
        object: 'whatsapp_business_account',
        entry: [{ id: '419561257915477', time: FIRST, changes: [{ field: name, value: about(given) }] }],
      });
      const first = {
        contacts: [{ profile: { name: 'Bia' }, wa_id: PERSON, user_id: 'MX.30000000001' }],
        messages: [
          {
            from: PERSON,
            from_user_id: 'MX.30000000001',
            id: 'wamid.0',
            timestamp: String(FIRST),
            type: 'text',
            text: { body: 'Three crates' },
          },
        ],
      };
      const input = { platform: 'whatsapp', row: `${title}: ${kind}`, becomes, token } as const;
      const body = renamed(callback(field, value), pairs);
      return withSeed({ ...input, body }, renamed(callback('messages', first), pairs));
    }),
  );
}

function discordRows(): Make[] {
  return DISCORD_TABLES.flatMap(({ title, rows }) =>
    rows
      .filter(({ kind }) => !OF_SESSIONS.has(kind))
      .map(({ kind, becomes }): Make => (token) => {
        const { t, d } = DISCORD[title]![kind]!;
        const pairs = [
          [/"41"/g, `"${token}"`],
          [/"4300"/g, `"1${token}"`],
          [/"7001"/g, `"7${token}"`],
          [/"77"/g, `"6${token}"`],
          [/"5"/g, `"5${token}"`],
          [/"8"/g, `"8${token}"`],
          [/"99"/g, `"3${token}"`],
          [/"901"/g, `"9${token}"`],
          [/"9000"/g, `"2${token}"`],
        ] as const;
        const told = t === 'MESSAGE_CREATE' ? { ...DISCORD_MESSAGE, id: '9000', ...d } : d;
        const first = { ...DISCORD_MESSAGE, id: '5', content: 'Three crates' };
        const input = { platform: 'discord', row: `Discord: ${title}: ${kind}`, becomes, token } as const;
        const seed = renamed({ t: 'MESSAGE_CREATE', d: first }, pairs);
        return withSeed({ ...input, body: renamed({ t, d: told }, pairs) }, seed);
      }),
  );
}

function withSeed(input: Input, seed: object): Input {
  return NEEDS_SEED.has(input.becomes) ? { ...input, seed } : input;
}
