import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { fromPublicId } from '#contracts';
import { withClient } from '../stage';
import type { Goal } from '../goals';
import { explain } from './explanation';
import { arrivedWith, readRows, repliesEnded, tokensOf, type MessageRow } from './message-rows';
import type { SoakPlatforms } from './platforms';
import type { SoakReceivers } from './receivers';
import type { SoakTraffic } from './traffic';

/**
 * All due work must be done within this time after the platforms have delivered everything: longer than every lease, takeover
 * and retry together. WhatsApp's fake posts one notification at a time, which takes minutes on a busy machine.
 */
const DRAIN_MS = 120_000;
/** A fake notes an arrival slightly after it happens. Arrivals and kills use the same clock. */
const SKEW_MS = 100;
/** The gateway may not have recorded a send that arrived this long before a crash: a busy process records late. */
const IN_FLIGHT_MS = 10_000;
/** Number of suspicious texts to explain. */
const EXPLAINED = 8;
interface EventRow {
  /** `evt_…` */
  id: string;
  /** Whether the event is newer than the subscriptions of the working receivers. */
  owed: boolean;
}

export interface Parties {
  databaseUrl: string;
  traffic: SoakTraffic;
  platforms: SoakPlatforms;
  receivers: SoakReceivers;
  /** Ids of the webhooks with working receivers. */
  living: readonly string[];
  /** Events from this time on must reach the working receivers. */
  subscribedAt: Date;
  /** Times at which a process was killed, by `Date.now()`. */
  kills: readonly number[];
}

/** Waits until no work is due except to dead receivers. @returns whether that took no longer than allowed */
export async function drained({ databaseUrl, platforms, living }: Parties): Promise<Goal> {
  const startedAt = performance.now();
  const ids = living.map((id) => fromPublicId('webhook', id)!);
  let [progressAt, unread] = [startedAt, Infinity];
  const left = await withClient(databaseUrl, async (client) => {
    for (;;) {
      // Updates that a platform has not delivered yet are future work.
      const owed = { unread: platforms.unread, ...(await owedIn(client, ids)) };
      if (Object.values(owed).every((count) => count === 0)) return undefined;
      if (owed.unread < unread) progressAt = performance.now();
      unread = owed.unread;
      if (performance.now() - progressAt > DRAIN_MS) return owed;
      await sleep(250);
    }
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  return {
    name: 'every send, answer and delivery comes to its end',
    met: !left,
    figure: left ? JSON.stringify(left) : `${seconds} s after the traffic`,
  };
}

async function owedIn(client: Client, webhookIds: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await client.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM messages WHERE status = 'pending') AS pending,
       (SELECT count(*)::int FROM message_tasks) AS sends,
       (SELECT count(*)::int FROM reply_tasks WHERE next_at IS NOT NULL) AS replies,
       (SELECT count(*)::int FROM webhook_dispatches WHERE webhook_id = ANY ($1) AND state <> 'delivered') AS deliveries`,
    [webhookIds],
  );
  return rows[0]!;
}

/** Compares the database with the answers to clients, the people's messages, and what platforms and receivers got. */
export async function balance({
  databaseUrl,
  traffic,
  platforms,
  receivers,
  subscribedAt,
  kills,
}: Parties): Promise<Goal[]> {
  platforms.count();
  const events = await withClient(
    databaseUrl,
    async (client) =>
      (
        await client.query<EventRow>(
          `SELECT body::json->>'id' AS id, created_at > $1 AS owed FROM events WHERE environment = 'live'`,
          [subscribedAt],
        )
      ).rows,
  );
  const rows = await readRows(databaseUrl);
  const doubtful: string[] = [];
  const goals = [
    ...sendGoals(rows, traffic, platforms, doubtful),
    ...questionGoals(rows, traffic, await repliesEnded(databaseUrl), doubtful),
    failedAnswersGoal(rows, doubtful),
    doubleGoal(rows, platforms, kills, doubtful),
    eventGoal(events, receivers),
  ];
  for (const token of doubtful.slice(0, EXPLAINED)) await explain(token, databaseUrl, platforms, kills);
  return goals;
}

function sendGoals(
  rows: readonly MessageRow[],
  { accepted }: SoakTraffic,
  platforms: SoakPlatforms,
  doubtful: string[],
): Goal[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const arrived = arrivedWith(platforms.arrived);
  const stored = [...accepted].map(([token, id]) => ({ token, row: byId.get(fromPublicId('message', id)!) }));
  const lost = stored.filter(({ row }) => !row);
  const sent = stored.filter(({ row }) => row && row.status !== 'failed');
  const ambiguous = stored.filter(({ row }) => row?.code === 'ambiguous').length;
  const nowhere = sent.filter(({ token }) => !arrived.has(token)).map(({ token }) => token);
  doubtful.push(...nowhere);
  return [
    {
      name: 'every accepted send is stored',
      met: lost.length === 0 && accepted.size > 0,
      figure: `${accepted.size} accepted, ${lost.length} lost`,
    },
    {
      name: 'every send that is shown as sent is at its platform',
      met: nowhere.length === 0,
      figure: `${sent.length} sent, ${nowhere.length} nowhere${firstOf(nowhere)}; ${stored.length - sent.length} failed, ${ambiguous} of them ambiguous`,
    },
  ];
}

/** @param ended conversations in which a failure of the provider ended a reply with `ai.error`, which is allowed */
function questionGoals(
  rows: readonly MessageRow[],
  { questions }: SoakTraffic,
  ended: ReadonlySet<string>,
  doubtful: string[],
): Goal[] {
  const inbound = tokensOf(rows.filter(({ direction }) => direction === 'inbound').map(({ content }) => content));
  const conversations = new Map(
    rows.flatMap(({ direction, content, conversation_id: id }) =>
      direction === 'inbound' ? [...tokensOf([content]).keys()].map((token) => [token, id] as const) : [],
    ),
  );
  const answers = rows.filter(({ by_ai }) => by_ai);
  const answered = tokensOf(answers.map(({ content }) => content));
  const answeredAgain = tokensOf(answers.filter(({ status }) => status !== 'failed').map(({ content }) => content));
  const unstored = questions.filter((token) => inbound.get(token) !== 1);
  const without = questions.filter((token) => !answered.has(token));
  const unanswered = without.filter((token) => !ended.has(conversations.get(token) ?? ''));
  const twice = questions.filter((token) => (answeredAgain.get(token) ?? 0) > 1);
  doubtful.push(...unstored, ...unanswered, ...twice);
  return [
    {
      name: 'every inbound message is stored once',
      met: unstored.length === 0 && questions.length > 0,
      figure: `${questions.length} written, ${unstored.length} missing or double${firstOf(unstored)}`,
    },
    {
      name: 'every inbound message is answered once',
      met: unanswered.length === 0 && twice.length === 0,
      figure:
        `${answers.length} answers; ${unanswered.length} unanswered${firstOf(unanswered)}, ` +
        `${without.length - unanswered.length} ended by the provider with ai.error, ${twice.length} answered twice${firstOf(twice)}`,
    },
  ];
}

/** An answer may fail only if the platform may have it: the connection broke after the request, or the platform answered 500. */
function failedAnswersGoal(rows: readonly MessageRow[], doubtful: string[]): Goal {
  const failed = rows.filter(({ by_ai, status }) => by_ai && status === 'failed');
  const others = failed.filter(({ code }) => code !== 'ambiguous');
  doubtful.push(...tokensOf(others.map(({ content }) => content)).keys());
  return {
    name: 'no answer fails but by an ambiguous outcome',
    met: others.length === 0,
    figure: `${failed.length} failed, ${others.length} otherwise${firstOf(others.map(({ platform, code }) => `${platform} ${code}`))}`,
  };
}

/**
 * A message may arrive twice only if it is an answer that was in flight when its process was killed. An answer with an
 * ambiguous outcome is not part of the context, so the next answer may cover the same question: that is another message.
 */
function doubleGoal(
  rows: readonly MessageRow[],
  { arrived }: SoakPlatforms,
  kills: readonly number[],
  doubtful: string[],
): Goal {
  const messages = Map.groupBy(
    rows.filter(({ direction }) => direction === 'outbound'),
    ({ content }) => content,
  );
  const doubles = [...arrived].filter(([text, times]) => times.length > (messages.get(text)?.length ?? 0));
  const unexplained = doubles.filter(([text, times]) => {
    const row = messages.get(text)?.[0];
    const first = times[0]!;
    const isKilled = kills.some((kill) => kill >= first - SKEW_MS && kill <= Math.min(times[1]!, first + IN_FLIGHT_MS));
    return !row?.by_ai || times.length > 2 || !isKilled;
  });
  const tokens = unexplained.flatMap(([text]) => [...tokensOf([text]).keys()]);
  doubtful.push(...tokens);
  const again = [...arrivedWith(arrived).values()].filter((texts) => texts > 1).length;
  return {
    name: 'nothing arrives twice but what a crash interrupted',
    met: unexplained.length === 0,
    figure:
      `${arrived.size} texts, ${doubles.length - unexplained.length} twice after a crash, ${unexplained.length} otherwise${firstOf(tokens)}; ` +
      `${again} questions are in a second answer, after an ambiguous one`,
  };
}

function eventGoal(events: readonly EventRow[], { taken }: SoakReceivers): Goal {
  const owed = events.filter((event) => event.owed);
  const known = new Set(events.map(({ id }) => id));
  const missing = [...taken].map(([path, ids]) => [path, owed.filter(({ id }) => !ids.has(id)).length] as const);
  const strangers = [...taken.values()].flatMap((ids) => [...ids.keys()]).filter((id) => !known.has(id)).length;
  return {
    name: 'every event arrives at every living receiver',
    met: taken.size > 0 && strangers === 0 && missing.every(([, count]) => count === 0),
    figure: `${owed.length} events; missing ${missing.map(([path, count]) => `${path}: ${count}`).join(', ')}; never stored: ${strangers}`,
  };
}

function firstOf(tokens: readonly string[]): string {
  return tokens.length > 0 ? ` (${tokens.slice(0, 5).join(' ')})` : '';
}
