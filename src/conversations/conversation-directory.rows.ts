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
