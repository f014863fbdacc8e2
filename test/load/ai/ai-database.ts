import { untilTrue } from '../bench-database';

/** Resolves when every event is handled: the one that runs next is not disturbed. */
export function settled(databaseUrl: string): Promise<void> {
  return untilTrue(databaseUrl, 'SELECT NOT EXISTS (SELECT FROM event_outbox) AS done', []);
}

/** What a generated answer promises, of all of them. */
export function assertAllBilled(databaseUrl: string, answers: number): Promise<void> {
  return untilTrue(
    databaseUrl,
    `SELECT (SELECT sum(requests) FROM ai_usage) = $1
       AND (SELECT count(DISTINCT model) FROM ai_usage) = 1
       AND (SELECT sum(output_tokens) FROM ai_usage)
         = (SELECT sum((body::json -> 'data' -> 'tokens' ->> 'output')::int) FROM events WHERE type = 'ai.response')
       AND (SELECT count(*) FROM events WHERE type = 'ai.request') = $1
       AND (SELECT count(*) FROM events WHERE type = 'ai.response') = $1
       AND (SELECT count(*) FROM audit_log WHERE status = 200) >= $1 AS done`,
    [answers],
  );
}
