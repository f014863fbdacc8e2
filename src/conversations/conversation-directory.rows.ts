import { statement } from '../core/database/database.service';
import { PARTICIPANT } from './open-conversation.rows';

/** Finds a conversation by the given id, or by another id that the platform has named for the same participant. */
export const FIND = statement(
  'conversation-find',
  `SELECT c.id, known.participant_id FROM (${PARTICIPANT('$1', '$2', '$3', '$4')}) known
   LEFT JOIN conversations c ON c.environment = $1 AND c.platform = $2 AND c.account = $3 AND c.participant_id = known.participant_id`,
);

/** When a participant last wrote. $1: environment, $2: platform, $3: account, $4: an id of the participant */
export const LAST_INBOUND = statement(
  'conversation-last-inbound',
  `SELECT c.last_inbound_at FROM (${PARTICIPANT('$1', '$2', '$3', '$4')}) known
   JOIN conversations c ON c.environment = $1 AND c.platform = $2 AND c.account = $3 AND c.participant_id = known.participant_id`,
);

/**
 * Opens the conversation of a topic if its chat has something that the topic takes over: a person who has it, with the end, or the
 * moment at which its context was cleared. Without that, the topic's first message opens it. $1: environment, $2: platform, $3: topic,
 * $4: its chat, $5: id of the conversation, $6: id of the handover, $7: now, $8: account
 */
export const OPEN_TOPIC = statement(
  'conversation-open-topic',
  `WITH chat AS (
     SELECT c.* FROM (${PARTICIPANT('$1::environment', '$2::text', '$8::text', '$4::text')}) known
     JOIN conversations c ON c.environment = $1 AND c.platform = $2 AND c.account = $8 AND c.participant_id = known.participant_id
     WHERE (c.handling <> 'assistant' OR c.cleared_at IS NOT NULL) AND NOT EXISTS (
       SELECT FROM (${PARTICIPANT('$1', '$2', '$8', '$3::text')}) topic
       WHERE topic.participant_id <> $3 OR EXISTS (
         SELECT FROM conversations WHERE environment = $1 AND platform = $2 AND account = $8 AND participant_id = $3
       )
     )
   ),
   opened AS (
     INSERT INTO conversations (id, environment, platform, account, participant_id, participant_name, participant_username,
       handling, cleared_at, created_at, last_message_at)
     SELECT $5::uuid, environment, platform, account, $3, participant_name, participant_username, handling, cleared_at,
       $7::timestamptz, $7 FROM chat
     ON CONFLICT DO NOTHING RETURNING id, environment
   )
   INSERT INTO handovers (conversation_id, environment, request_id, reason, waits_for, summary, note, assignee,
     requested_at, taken_at, resume_at, next_at)
   SELECT opened.id, opened.environment, $6::uuid, h.reason, h.waits_for, h.summary, h.note, h.assignee,
     h.requested_at, h.taken_at, h.resume_at, h.next_at
   FROM opened CROSS JOIN chat JOIN handovers h ON h.conversation_id = chat.id`,
);
