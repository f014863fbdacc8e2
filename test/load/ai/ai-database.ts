/** SQL: whether the gateway has billed $1 generated answers and stored their events and audit rows. */
export const ALL_BILLED = `
  SELECT (SELECT sum(requests) FROM ai_usage) = $1
    AND (SELECT count(DISTINCT model) FROM ai_usage) = 1
    AND (SELECT sum(output_tokens) FROM ai_usage)
      = (SELECT sum((body::json -> 'data' -> 'tokens' ->> 'output')::int) FROM events WHERE type = 'ai.response')
    AND (SELECT count(*) FROM events WHERE type = 'ai.request') = $1
    AND (SELECT count(*) FROM events WHERE type = 'ai.response') = $1
    AND (SELECT count(*) FROM audit_log WHERE status = 200) >= $1 AS done`;

/** The same for the bare server. */
export const ALL_BILLED_BARE = `
  SELECT (SELECT count(*) FROM bill) = $1
    AND (SELECT count(*) FROM event WHERE type = 'ai.request') = $1
    AND (SELECT count(*) FROM event WHERE type = 'ai.response') = $1
    AND (SELECT count(*) FROM bare_audit WHERE status = 200) >= $1 AS done`;
