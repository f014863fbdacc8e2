const COUNTED = `,
    status = 'active',
    message_count = c.message_count + 1,
    last_message_at = greatest(c.last_message_at, excluded.last_message_at),
    last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at)`;

/**
 * The common table expression that finds or opens a conversation and counts one more message in it, unless `isCounted` is false. It is part of the
 * statement that stores the message, so that count and message always agree. The row lock makes `message_count` the
 * message's position in the conversation.
 *
 * It returns no row if the conversation exists under another id than the given one: look it up and try again.
 * @param source the rows to insert
 * @param condition empty: whatever id the conversation exists under
 */
export const OPEN_CONVERSATION = (source: string, condition = 'WHERE c.id = excluded.id', isCounted = true) => `
  INSERT INTO conversations AS c (id, environment, platform, account, participant_id, participant_name, participant_username,
    address, status, message_count, created_at, last_message_at, last_inbound_at)
  ${source}
  ON CONFLICT (environment, platform, account, participant_id) DO UPDATE SET
    participant_name = coalesce(excluded.participant_name, c.participant_name),
    participant_username = coalesce(excluded.participant_username, c.participant_username),
    address = coalesce(excluded.address, c.address)${isCounted ? COUNTED : ''}
  ${condition}
  RETURNING id, participant_id, message_count, participant_name, participant_username, address, handling, last_inbound_at`;

/** SQL of the id of a conversation, or of the one that it was merged into. */
export const currentOf = (id: string) =>
  `(SELECT coalesce(named.merged_into, named.id) FROM conversations named WHERE named.id = ${id})`;

/** SQL of the ids of a conversation and of those that were merged into it: their participants are aliases of its own. */
export const WITH_MERGED = (conversation: string) => `(
  SELECT id FROM conversations WHERE id = ${conversation}
  UNION ALL
  SELECT merged.id FROM conversations current
  JOIN participant_aliases a
    ON a.environment = current.environment AND a.platform = current.platform AND a.account = current.account
      AND a.participant_id = current.participant_id
  JOIN conversations merged
    ON merged.environment = a.environment AND merged.platform = a.platform AND merged.account = a.account
      AND merged.participant_id = a.alias
  WHERE current.id = ${conversation} AND merged.merged_into = current.id
)`;

/** The participant whom the platform named: under that id, or under the one that it is an alias of. */
export const PARTICIPANT = (environment: string, platform: string, account: string, participantId: string) => `
  SELECT coalesce(
    (SELECT participant_id FROM participant_aliases
     WHERE environment = ${environment} AND platform = ${platform} AND account = ${account} AND alias = ${participantId}),
    ${participantId}
  ) AS participant_id`;
