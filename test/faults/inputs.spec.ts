import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordFake } from '../fakes/discord.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { Deployment } from './deployment';
import { type Input, mixedInputs, TOKEN } from './mixed-inputs';

const INPUTS = 1_000;
/** These arrive around the kill. */
const AROUND = 120;
/** So many of them are answered when one instance is killed. */
const BEFORE_KILL = 40;
const SIDE_BY_SIDE = 12;
const SECRET = 'a-secret-of-the-webhook';
/** Every seventh input that is stored comes twice, as platforms repeat what they do not know to be answered. */
const REPEATED = 7;
/** A session of Discord has these events by itself. */
const OF_SESSIONS = /kind="(READY|RESUMED|GUILD_CREATE)"/;
/** Changes of a person's ids, and of what a person wants. */
const IDENTITY = /changed_number|changed_user_id|user_id_update|: system$|migrate_to_chat_id/;
const PREFERENCE = /preference/;

const isCounted = ({ becomes }: Input): boolean => becomes === 'counted';
const isOfDiscord = ({ platform }: Input): boolean => platform === 'discord';

/** Everything in the database that came from one input. */
interface Found {
  conversations: number;
  messages: number;
  told: number;
  updated: number;
  reactions: number;
  receipts: number;
  notices: number;
  preferences: number;
}
const NOTHING: Found = {
  conversations: 0,
  messages: 0,
  told: 0,
  updated: 0,
  reactions: 0,
  receipts: 0,
  notices: 0,
  preferences: 0,
};

/** Everything that an input must have become. */
function expected({ becomes, row, seed }: Input): Found {
  const message = { ...NOTHING, conversations: 1, messages: 1, told: 1 };
  const before = seed ? message : NOTHING;
  if (becomes === 'message' || becomes === 'part') return message;
  if (becomes === 'reaction') return { ...before, reactions: 1 };
  // A message that the gateway does not know: `sent` says nothing new about it, the others wait for it.
  if (becomes === 'receipt') return { ...NOTHING, receipts: row.endsWith(': sent') ? 0 : 1 };
  if (becomes === 'notice') return { ...NOTHING, notices: 1 };
  if (becomes === 'counted' || IDENTITY.test(row)) return before;
  return PREFERENCE.test(row) ? { ...before, preferences: 1 } : { ...before, updated: 1 };
}

describe('a thousand inputs of three platforms, while one of two instances is killed', () => {
  const telegram = new TelegramFake();
  const whatsapp = new WhatsAppFake();
  const discord = new DiscordFake();
  let deployment: Deployment;
  let instances: GatewayProcess[] = [];

  beforeAll(async () => {
    await Promise.all([telegram.start(), whatsapp.start(), discord.start()]);
    const env = {
      ...whatsapp.env,
      DISCORD_BOT_TOKEN: discord.token,
      DISCORD_API_URL: discord.url,
      TELEGRAM_WEBHOOK_URL: 'https://gateway.example/callbacks/telegram',
      TELEGRAM_WEBHOOK_SECRET: SECRET,
    };
    deployment = await Deployment.create({ environment: 'live', telegram, env });
    instances = [await deployment.startInstance(), await deployment.startInstance()];
  }, 120_000);
  afterAll(async () => {
    await deployment.stop();
    await Promise.all([telegram.stop(), whatsapp.shutDown(), discord.stop()]);
  });

  it('are each stored once or counted once', async () => {
    const inputs = shuffled(mixedInputs(INPUTS));
    const around = inputs.filter((input) => !isCounted(input)).slice(0, AROUND);
    const others = inputs.filter((input) => !around.includes(input));
    const before = others.slice(0, others.length / 2);
    await eventually('Discord is connected', () => expect(isConnected()).toBe(true), { timeoutMs: 60_000 });
    for (const { seed, ...input } of inputs) if (seed && !isOfDiscord(input)) await deliver(input, seed);
    for (const { seed, ...input } of inputs) if (seed && isOfDiscord(input)) await deliver(input, seed);
    await deliverAll(before);
    await eventually('the first half is stored', () => check(before), { timeoutMs: 60_000, everyMs: 500 });
    // A process takes its counters with it. None of the inputs around its end is counted.
    const first = instances[0]!;
    const counted = await ignored(first);
    await deliverAll(around, async (done) => {
      if (done === BEFORE_KILL) await first.kill();
    });
    instances[0] = await first.restart();
    await eventually('Discord is connected again', () => expect(isConnected()).toBe(true), { timeoutMs: 90_000 });
    await deliverAll(others.slice(before.length));
    await eventually(
      'everything is stored',
      async () => {
        await check(inputs, new Set(around.filter(isOfDiscord)));
        const later = await Promise.all(instances.map(ignored));
        for (const platform of ['telegram', 'whatsapp', 'discord'] as const) {
          const sum = [counted, ...later].reduce((total, one) => total + one[platform], 0);
          const wanted = inputs.filter((input) => isCounted(input) && input.platform === platform).length;
          expect([platform, sum]).toEqual([platform, wanted]);
        }
      },
      { timeoutMs: 60_000, everyMs: 500 },
    );
  }, 300_000);

  /** Discord delivers no event again to a new session: those around the kill may be missing. */
  async function check(inputs: readonly Input[], maybe: ReadonlySet<Input> = new Set()): Promise<void> {
    const all = await found();
    const wrong = inputs.flatMap((input) => {
      const is = all.get(input.token) ?? NOTHING;
      const must = expected(input);
      const isRight = (Object.keys(must) as (keyof Found)[]).every(
        (name) => is[name] === must[name] || (maybe.has(input) && is[name] < must[name]),
      );
      return isRight ? [] : [{ row: input.row, becomes: input.becomes, is, must }];
    });
    expect(wrong).toEqual([]);
  }

  /** Sends inputs side by side. @param onDone called with the number of inputs that were answered */
  async function deliverAll(
    inputs: readonly Input[],
    onDone: (done: number) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const waiting = [...inputs];
    let done = 0;
    const work = async (): Promise<void> => {
      for (let input; (input = waiting.shift());) {
        await deliver(input, input.body);
        if (Number(input.token) % REPEATED === 0 && !isCounted(input) && !isOfDiscord(input))
          await deliver(input, input.body);
        await onDone((done += 1));
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  }

  /** As a platform behind a load balancer: an instance that does not answer with 200 is followed by the next one. */
  async function deliver({ platform, token }: Pick<Input, 'platform' | 'token'>, body: object): Promise<void> {
    if (platform === 'discord') {
      const { t, d } = body as { t: string; d: Record<string, unknown> };
      return discord.gateway.dispatch(t, d);
    }
    const text = JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'x-hub-signature-256': whatsapp.sign(text),
      'x-telegram-bot-api-secret-token': SECRET,
    };
    for (let turn = Number(token); ; turn += 1) {
      const { url } = instances[turn % instances.length]!;
      const answer = await fetch(`${url}/callbacks/${platform}`, { method: 'POST', headers, body: text }).catch(
        () => undefined,
      );
      await answer?.text().catch(() => undefined);
      if (answer?.status === 200) return;
      await sleep(50);
    }
  }

  function isConnected(): boolean {
    return discord.gateway.sessions.some(({ socket }) => socket !== undefined);
  }

  async function found(): Promise<Map<string, Found>> {
    const rows = await deployment.sql<Partial<Found> & { id: string }>(`
      SELECT participant_id AS id, 1 AS conversations,
        (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id)::int AS messages,
        (SELECT coalesce(sum((SELECT count(*) FROM jsonb_object_keys(m.options -> 'reactions'))), 0)
         FROM messages m WHERE m.conversation_id = c.id)::int AS reactions,
        (SELECT count(*) FROM events e WHERE e.conversation_id = c.id
         AND e.type IN ('message.received', 'message.sent'))::int AS told,
        (SELECT count(*) FROM events e WHERE e.conversation_id = c.id AND e.type = 'message.updated')::int AS updated
      FROM conversations c`);
    const preferences = await deployment.sql<{ id: string }>('SELECT participant_id AS id FROM marketing_preferences');
    const receipts = await deployment.sql<{ id: string }>('SELECT platform_message_id AS id FROM early_receipts');
    const notices = await deployment.sql<{ id: string }>(
      `SELECT (body::jsonb -> 'data' -> 'data')::text || ' '
         || extract(epoch FROM (body::jsonb -> 'data' ->> 'occurred_at')::timestamptz)::bigint AS id
       FROM events WHERE type = 'integration.notice'`,
    );
    const result = new Map<string, Found>();
    for (const { id, ...counts } of [
      ...rows,
      ...preferences.map((row) => ({ ...row, preferences: 1 })),
      ...receipts.map((row) => ({ ...row, receipts: 1 })),
      ...notices.map((row) => ({ ...row, notices: 1 })),
    ]) {
      const token = TOKEN.exec(id)?.[0] ?? id;
      const sum = { ...(result.get(token) ?? NOTHING) };
      for (const [name, count] of Object.entries(counts) as [keyof Found, number][]) sum[name] += count;
      result.set(token, sum);
    }
    return result;
  }
});

/** How many updates an instance has counted since its start. */
async function ignored({ url }: GatewayProcess): Promise<Record<Input['platform'], number>> {
  const sums = { telegram: 0, whatsapp: 0, discord: 0 };
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const line of text.split('\n')) {
    const platform = /^gateway_updates_ignored_total\{platform="(\w+)"/.exec(line)?.[1] as
      Input['platform'] | undefined;
    if (platform && !OF_SESSIONS.test(line)) sums[platform] += Number(line.split(' ').at(-1));
  }
  return sums;
}

/** The same order in each run. */
function shuffled(inputs: readonly Input[]): Input[] {
  const rank = ({ token }: Input): number => (Number(token) * 7_919) % 1_009;
  return inputs.toSorted((one, other) => rank(one) - rank(other));
}
