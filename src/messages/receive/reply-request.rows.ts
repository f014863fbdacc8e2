/** SQL condition: the assistant may answer the message. */
export const EXPECTS_REPLY = `coalesce(options ->> 'expects_reply', 'true') = 'true'`;

/**
 * The statement that asks the assistant for an answer. A reply that was given up leaves its attempts and faults in the task: they
 * do not count against the next one.
 * @param source SQL of `conversation_id, environment, seq` of a message, with its condition
 */
export const requestReply = (source: string) => `
  INSERT INTO reply_tasks AS task (conversation_id, environment, requested_seq, next_at)
  SELECT conversation_id, environment, seq, now() FROM ${source}
  ON CONFLICT (conversation_id) DO UPDATE SET
    requested_seq = greatest(task.requested_seq, excluded.requested_seq),
    next_at = coalesce(task.next_at, now()),
    attempts = CASE WHEN task.next_at IS NULL THEN 0 ELSE task.attempts END,
    faults = CASE WHEN task.next_at IS NULL THEN 0 ELSE task.faults END`;
