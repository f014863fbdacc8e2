/** SQL: whether the gateway has no work left. */
export const IDLE = `
  SELECT NOT EXISTS (SELECT FROM message_tasks)
    AND NOT EXISTS (SELECT FROM reply_tasks WHERE next_at IS NOT NULL OR lease_until IS NOT NULL) AS done`;

/** The same for the bare server. */
export const IDLE_BARE = `
  SELECT NOT EXISTS (SELECT FROM message WHERE lease_until IS NOT NULL)
    AND NOT EXISTS (SELECT FROM reply WHERE lease_until IS NOT NULL) AS done`;

const EVENTS = ['message.received', 'ai.request', 'ai.response', 'message.sent', 'message.delivered'];

const countsOf = (messages: string, events: string) => `
  (SELECT count(*) FROM ${messages} WHERE direction = 'inbound') = $1
  AND (SELECT count(*) FROM ${messages} WHERE direction = 'outbound' AND status = 'delivered') = $1
  AND ${EVENTS.map((type) => `(SELECT count(*) FROM ${events} WHERE type = '${type}') = $1`).join(' AND ')}`;

/** SQL: whether the gateway has answered, stored and billed $1 messages, with all events. */
export const ALL_ANSWERED = `
  SELECT ${countsOf('messages', 'events')} AND (SELECT sum(requests) FROM ai_usage) = $1 AS done`;

/** The same for the bare server. */
export const ALL_ANSWERED_BARE = `
  SELECT ${countsOf('message', 'event')} AND (SELECT count(*) FROM bill) = $1 AS done`;
