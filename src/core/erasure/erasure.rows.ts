import { statement } from '../database/database.service';
import { ENDED } from '../database/lease';
import { insertEvents } from '../events/event.rows';
import type { DueTable } from '../work/due.rows';

export const DUE_ERASURES: DueTable = {
  table: 'erasures',
  key: 'conversation_id',
  environment: 'environment',
  columns: 'conversation_id, erased_at',
  leaseSeconds: 15,
};

/** $1: conversation, $2: fence, $3: events */
export const FINISH_ERASURE = statement(
  'erasure-finish',
  `WITH erasure AS (DELETE FROM erasures WHERE conversation_id = $1::uuid AND fence = $2::integer RETURNING 1),
   ${insertEvents('$3', 'EXISTS (SELECT FROM erasure)')}
   SELECT 1 FROM erasure`,
);

/** $1: conversation, $2: fence */
export const POSTPONE_ERASURE = statement(
  'erasure-later',
  `UPDATE erasures SET lease_until = NULL, attempts = 0, next_at = now() + interval '1 second'
   WHERE conversation_id = $1 AND fence = $2`,
);

export const END_ERASURE_LEASES = `UPDATE erasures SET lease_until = ${ENDED} WHERE lease_until > now()`;
