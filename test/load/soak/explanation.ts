import type { Client } from 'pg';
import { toPublicId } from '#contracts';
import { withClient } from '../stage';
import type { SoakPlatforms } from './platforms';

/** An explanation covers this time before and after a text. */
const AROUND_MS = 30_000;

type Line = [at: number, words: string];

/** Prints the history of a text: the rows and events of its conversation, its arrivals, and the troubles at the time. */
export async function explain(
  token: string,
  databaseUrl: string,
  platforms: SoakPlatforms,
  kills: readonly number[],
): Promise<void> {
  const lines = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'SELECT DISTINCT conversation_id AS id FROM messages WHERE strpos(content, $1) > 0',
      [token],
    );
    return (await Promise.all(rows.map(({ id }) => linesOf(client, id)))).flat();
  });
  for (const [text, times] of platforms.arrived)
    if (text.includes(token)) lines.push(...times.map((at): Line => [at, `arrived at its platform: ${text}`]));
  const times = lines.filter(([, words]) => words.includes(token)).map(([at]) => at);
  const [from, to] = [Math.min(...times) - AROUND_MS, Math.max(...times) + AROUND_MS];
  lines.push(
    ...kills.map((at): Line => [at, 'kill -9']),
    ...platforms.troubles.map(({ at, name }): Line => [at, name]),
  );
  console.log(`\n  ${token} ${lines.length === 0 ? 'is in no row' : ''}`);
  for (const [at, words] of lines.filter(([when]) => when >= from && when <= to).toSorted(([a], [b]) => a - b))
    console.log(`    ${new Date(at).toISOString().slice(11, 23)}  ${words}`);
}

async function linesOf(client: Client, conversationId: string): Promise<Line[]> {
  const { rows: messages } = await client.query<{ at: Date; words: string }>(
    `SELECT created_at AS at, concat_ws(' ', direction, seq, status, failure->>'code', failure->>'message', 'sent ' || sent_at,
       CASE WHEN ai_model IS NOT NULL THEN 'by the assistant' END, '·', content) AS words
     FROM messages WHERE conversation_id = $1`,
    [conversationId],
  );
  const { rows: events } = await client.query<{ at: Date; words: string }>(
    `SELECT created_at AS at, concat_ws(' ', type, body::jsonb #>> '{data,error}', body::jsonb #>> '{data,content}') AS words
     FROM events WHERE body::jsonb #>> '{data,conversation_id}' = $1`,
    [toPublicId('conversation', conversationId)],
  );
  const { rows: tasks } = await client.query<{ at: Date; words: string }>(
    `SELECT now() AS at, 'reply task: ' || to_jsonb(reply_tasks)::text AS words FROM reply_tasks WHERE conversation_id = $1`,
    [conversationId],
  );
  for (const { words } of tasks) console.log(`    ${words}`);
  return [...messages, ...events].map(({ at, words }): Line => [at.getTime(), words]);
}
