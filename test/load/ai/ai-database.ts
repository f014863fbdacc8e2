import { untilTrue } from '../bench-database';

/** What a generated answer promises, of all of them. @param audit the table of audit entries */
export function assertAllBilled(databaseUrl: string, answers: number, audit: string): Promise<void> {
  return untilTrue(
    databaseUrl,
    `SELECT (SELECT sum(requests) FROM ai_usage) = $1
       AND (SELECT count(DISTINCT model) FROM ai_usage) = 1
       AND (SELECT sum(output_tokens) FROM ai_usage)
         = (SELECT sum((body::json -> 'data' -> 'tokens' ->> 'output')::int) FROM events WHERE type = 'ai.response')
       AND (SELECT count(*) FROM events WHERE type = 'ai.request') = $1
       AND (SELECT count(*) FROM events WHERE type = 'ai.response') = $1
       AND (SELECT count(*) FROM ${audit} WHERE status = 200) >= $1 AS done`,
    [answers],
  );
}
