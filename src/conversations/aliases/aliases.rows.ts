import { ADVISORY_LOCKS } from '../../core/database/advisory-locks';
import { PARTICIPANT } from '../open-conversation.rows';
import { statement } from '../../core/database/database.service';

/** The statements bind environment, platform and account first. Whether $4 is an alias of $5 already. WhatsApp names both ids of a person with many messages. */
export const IS_ALIAS = statement(
  'alias-known',
  `SELECT 1 FROM participant_aliases
   WHERE environment = $1::environment AND platform = $2::text AND account = $3::text AND alias = $4::text AND participant_id = $5::text`,
);

/**
 * Locks ids until the end of the transaction, in the order of their locks. While an id is locked, the trigger of `conversations`
 * refuses a new conversation under it.
 */
export const LOCK_IDS = statement(
  'alias-lock',
  `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.participants}, key) FROM (
     SELECT DISTINCT hashtext(concat($1::environment, ' ', $2::text, ' ', id)) AS key FROM unnest($3::text[]) AS id ORDER BY key
   ) keys`,
);

/** The ids under which the conversations of $4 are stored, in the order of $4. */
export const STORED_UNDER = statement(
  'alias-resolve',
  `SELECT (${PARTICIPANT('$1::environment', '$2::text', '$3::text', 'named.id')}) AS id
   FROM unnest($4::text[]) WITH ORDINALITY AS named (id, position) ORDER BY position`,
);

/** $4, whose conversations are stored under one of the ids of $5, becomes the id that all of these are aliases of. */
export const POINT_ALIASES = statement(
  'alias-point',
  `WITH freed AS (
     DELETE FROM participant_aliases
     WHERE environment = $1::environment AND platform = $2::text AND account = $3::text AND alias = $4::text
   ),
   moved AS (
     UPDATE participant_aliases SET participant_id = $4
     WHERE environment = $1 AND platform = $2 AND account = $3 AND participant_id = ANY ($5::text[]) AND alias <> $4
       AND alias <> ALL ($5)
   )
   INSERT INTO participant_aliases (environment, platform, account, alias, participant_id)
   SELECT $1, $2, $3, alias, $4 FROM unnest($5) AS alias WHERE alias <> $4
   ON CONFLICT (environment, platform, account, alias) DO UPDATE SET participant_id = excluded.participant_id`,
);

/** The topics of a chat that have conversations. $3: `<chat id>/`, $4: the text after all that begin so, $5: account */
export const TOPICS = statement(
  'alias-topics',
  `SELECT c.participant_id AS id FROM conversation_terms t JOIN conversations c ON c.id = t.conversation_id
   WHERE t.environment = $1::environment AND t.field = 'id' AND t.term ~>=~ $3::text AND t.term ~<~ $4::text
     AND c.platform = $2::text AND c.account = $5::text ORDER BY 1`,
);
