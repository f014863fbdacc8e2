import { fromPublicId } from '#contracts';
import { withClient } from '../stage';
import { TOKEN } from './platforms';

export interface MessageRow {
  id: string;
  conversation_id: string;
  platform: string;
  direction: 'inbound' | 'outbound';
  content: string;
  status: string;
  code: string | null;
  by_ai: boolean;
}

export async function readRows(databaseUrl: string): Promise<MessageRow[]> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<MessageRow>(
      `SELECT id, conversation_id, platform, direction, content, status, failure->>'code' AS code,
         ai_model IS NOT NULL AS by_ai FROM messages`,
    );
    return rows;
  });
}

/** Conversations in which a reply ended because the provider failed, without internal errors of the gateway. */
export async function repliesEnded(databaseUrl: string): Promise<Set<string>> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT DISTINCT body::jsonb #>> '{data,conversation_id}' AS id FROM events
       WHERE type = 'ai.error' AND body::jsonb #>> '{data,error,type}' <> 'internal'
         AND body::jsonb #>> '{data,error,retryable}' = 'false'`,
    );
    return new Set(rows.flatMap(({ id }) => (id ? [fromPublicId('conversation', id)!] : [])));
  });
}

/** Token → number of occurrences in the texts. */
export function tokensOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const token of text.match(TOKEN) ?? []) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** Token → number of occurrences in the distinct texts that arrived. */
export function arrivedWith(arrived: ReadonlyMap<string, unknown>): Map<string, number> {
  return tokensOf([...arrived.keys()]);
}
