import { statement } from '../core/database/database.service';
import { PARTICIPANT } from './open-conversation.rows';

/** Finds a conversation by the given id, or by another id that the platform has named for the same participant. */
export const FIND = statement(
  'conversation-find',
  `SELECT c.id, known.participant_id FROM (${PARTICIPANT('$1', '$2', '$3')}) known
   LEFT JOIN conversations c ON c.environment = $1 AND c.platform = $2 AND c.participant_id = known.participant_id`,
);

/** When a participant last wrote. $1: environment, $2: platform, $3: an id of the participant */
export const LAST_INBOUND = statement(
  'conversation-last-inbound',
  `SELECT c.last_inbound_at FROM (${PARTICIPANT('$1', '$2', '$3')}) known
   JOIN conversations c ON c.environment = $1 AND c.platform = $2 AND c.participant_id = known.participant_id`,
);

/**
 * Makes $3 an alias of $4. A conversation already under $4 stays, and the one under $3 keeps its history. Aliases of $3
 * become aliases of $4, and $4 stops being an alias.
 */
export const MIGRATE = statement(
  'conversation-migrate',
  `WITH renamed AS (
     UPDATE conversations SET participant_id = $4
     WHERE environment = $1 AND platform = $2 AND participant_id = $3
       AND NOT EXISTS (SELECT FROM conversations WHERE environment = $1 AND platform = $2 AND participant_id = $4)
     RETURNING 1
   ),
   freed AS (
     DELETE FROM participant_aliases WHERE environment = $1 AND platform = $2 AND alias = $4 RETURNING 1
   ),
   moved AS (
     UPDATE participant_aliases SET participant_id = $4
     WHERE environment = $1 AND platform = $2 AND participant_id = $3 AND alias <> $4
     RETURNING 1
   ),
   added AS (
     INSERT INTO participant_aliases AS a (environment, platform, alias, participant_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (environment, platform, alias) DO UPDATE SET participant_id = excluded.participant_id
       WHERE a.participant_id <> excluded.participant_id
     RETURNING 1
   )
   SELECT 1 FROM renamed UNION ALL SELECT 1 FROM freed UNION ALL SELECT 1 FROM moved UNION ALL SELECT 1 FROM added`,
);
