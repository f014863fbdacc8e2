import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { fromPublicId } from '#contracts';
import { withClient } from '../stage';
import type { Goal } from './goals';
import { TOKEN, type SoakPlatforms } from './platforms';
import type { SoakReceivers } from './receivers';
import type { SoakTraffic } from './traffic';

/** All that is owed is done within this after the traffic: longer than every lease, takeover and retry together. */
const DRAIN_MS = 120_000;
/** What was written to a platform this long before a crash may not have been recorded any more. */
const IN_FLIGHT_MS = 3_000;

interface Row {
  id: string;
  direction: 'inbound' | 'outbound';
  content: string;
  status: string;
  code: string | null;
  by_ai: boolean;
}

interface EventRow {
  /** `evt_…` */
  id: string;
  /** It is from after the living receivers subscribed. */
  owed: boolean;
}

export interface Parties {
  databaseUrl: string;
  traffic: SoakTraffic;
  platforms: SoakPlatforms;
  receivers: SoakReceivers;
  /** Ids of the webhooks whose receivers live. */
  living: readonly string[];
  /** Events from then on are owed to them. */
  subscribedAt: Date;
  /** When a process was killed, by `Date.now()`. */
  kills: readonly number[];
}

/** Waits until nothing is owed any more but to dead receivers. @returns whether that was so in time, and after how long */
export async function drained({ databaseUrl, platforms, living }: Parties): Promise<Goal> {
  const startedAt = performance.now();
  const ids = living.map((id) => fromPublicId('webhook', id)!);
  const left = await withClient(databaseUrl, async (client) => {
    for (;;) {
      // What a platform has not handed over yet is work to come.
      const owed = { unread: platforms.unread, ...(await owedIn(client, ids)) };
      if (Object.values(owed).every((count) => count === 0)) return undefined;
      if (performance.now() - startedAt > DRAIN_MS) return owed;
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

/** Compares what clients were told, people wrote, platforms and receivers got with what is stored. */
export async function balance({
  databaseUrl,
  traffic,
  platforms,
  receivers,
  subscribedAt,
  kills,
}: Parties): Promise<Goal[]> {
  platforms.count();
  const [rows, events] = await withClient(databaseUrl, async (client) => [
    (
      await client.query<Row>(
        `SELECT id, direction, content, status, failure->>'code' AS code, ai_model IS NOT NULL AS by_ai FROM messages`,
      )
    ).rows,
    (
      await client.query<EventRow>(
        `SELECT body::json->>'id' AS id, created_at > $1 AS owed FROM events WHERE environment = 'live'`,
        [subscribedAt],
      )
    ).rows,
  ]);
  return [
    ...sendGoals(rows, traffic, platforms),
    ...questionGoals(rows, traffic),
    doubleGoal(platforms, kills),
    eventGoal(events, receivers),
  ];
}

function sendGoals(rows: readonly Row[], { accepted }: SoakTraffic, { arrived }: SoakPlatforms): Goal[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const stored = [...accepted].map(([token, id]) => ({ token, row: byId.get(fromPublicId('message', id)!) }));
  const lost = stored.filter(({ row }) => !row);
  const sent = stored.filter(({ row }) => row && row.status !== 'failed');
  const ambiguous = stored.filter(({ row }) => row?.code === 'ambiguous').length;
  const nowhere = sent.filter(({ token }) => !arrived.has(token));
  return [
    {
      name: 'every accepted send is stored',
      met: lost.length === 0 && accepted.size > 0,
      figure: `${accepted.size} accepted, ${lost.length} lost`,
    },
    {
      name: 'every send that is shown as sent is at its platform',
      met: nowhere.length === 0,
      figure: `${sent.length} sent, ${nowhere.length} nowhere; ${stored.length - sent.length} failed, ${ambiguous} of them ambiguous`,
    },
  ];
}

function questionGoals(rows: readonly Row[], { questions }: SoakTraffic): Goal[] {
  const inbound = countTokens(rows.filter(({ direction }) => direction === 'inbound'));
  const answers = rows.filter(({ direction, by_ai }) => direction === 'outbound' && by_ai);
  const answered = countTokens(answers);
  const answeredAgain = countTokens(answers.filter(({ status }) => status !== 'failed'));
  const unstored = questions.filter((token) => inbound.get(token) !== 1);
  const unanswered = questions.filter((token) => !answered.has(token));
  const twice = questions.filter((token) => (answeredAgain.get(token) ?? 0) > 1);
  return [
    {
      name: 'every inbound message is stored once',
      met: unstored.length === 0 && questions.length > 0,
      figure: `${questions.length} written, ${unstored.length} missing or double${firstOf(unstored)}`,
    },
    {
      name: 'every inbound message is answered once',
      met: unanswered.length === 0 && twice.length === 0,
      figure: `${answers.length} answers; ${unanswered.length} unanswered${firstOf(unanswered)}, ${twice.length} answered twice${firstOf(twice)}`,
    },
  ];
}

/** An answer that was on the way when its process was killed is sent again: the only double that may be. */
function doubleGoal({ arrived }: SoakPlatforms, kills: readonly number[]): Goal {
  const doubles = [...arrived].filter(([, times]) => times.length > 1);
  const unexplained = doubles.filter(
    ([, [first = 0]]) => !kills.some((kill) => kill - first > -100 && kill - first < IN_FLIGHT_MS),
  );
  return {
    name: 'nothing arrives twice but what a crash interrupted',
    met: unexplained.length === 0,
    figure: `${arrived.size} texts, ${doubles.length} twice after a crash, ${unexplained.length} otherwise${firstOf(unexplained.map(([token]) => token))}`,
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

function countTokens(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { content } of rows)
    for (const token of content.match(TOKEN) ?? []) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function firstOf(tokens: readonly string[]): string {
  return tokens.length > 0 ? ` (${tokens.slice(0, 5).join(' ')})` : '';
}
