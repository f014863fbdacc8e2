import { statement } from '../database/database.service';
import { ENDED, leaseOf } from '../database/lease';

/** How long an interrupted request holds its key. */
export const LEASE_SECONDS = 30;
const LEASE = leaseOf(LEASE_SECONDS);
const FORGOTTEN = `r.created_at < now() - interval '24 hours'`;
const MINE = 'api_key_id = $1::uuid AND key = $2::text AND resource_id = $3::uuid AND outcome IS NULL';

/**
 * No row: another request holds the key, or has been answered. An id other than $4: the request that held the key was
 * interrupted.
 */
export const CLAIM = statement(
  'idempotency-claim',
  `INSERT INTO idempotent_requests AS r (api_key_id, key, fingerprint, resource_id, lease_until, created_at)
   VALUES ($1::uuid, $2::text, $3::bytea, $4::uuid, ${LEASE}, now())
   ON CONFLICT (api_key_id, key) DO UPDATE SET
     fingerprint = excluded.fingerprint,
     resource_id = CASE WHEN ${FORGOTTEN} THEN excluded.resource_id ELSE r.resource_id END,
     created_at = CASE WHEN ${FORGOTTEN} THEN excluded.created_at ELSE r.created_at END,
     lease_until = excluded.lease_until,
     outcome = NULL
   WHERE ${FORGOTTEN} OR (r.outcome IS NULL AND r.lease_until < now() AND r.fingerprint = excluded.fingerprint)
   RETURNING resource_id`,
);
/** SQL that claims a key in the statement that stores the result. It returns no row when another request has the key. */
export const claimKey = (apiKeyId: string, key: string, fingerprint: string, resourceId: string) => `
  INSERT INTO idempotent_requests AS r (api_key_id, key, fingerprint, resource_id, lease_until, created_at)
  VALUES (${apiKeyId}::uuid, ${key}::text, ${fingerprint}::bytea, ${resourceId}::uuid, ${LEASE}, now())
  ON CONFLICT (api_key_id, key) DO UPDATE SET
    fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, created_at = excluded.created_at,
    lease_until = excluded.lease_until, outcome = NULL
  WHERE ${FORGOTTEN}
  RETURNING resource_id`;

export const FIND = statement(
  'idempotency-find',
  `SELECT fingerprint, outcome, resource_id, outcome IS NULL AND lease_until < now() AS lapsed,
     outcome IS NULL AND EXISTS (SELECT FROM messages WHERE id = resource_id AND status <> 'pending') AS settled
   FROM idempotent_requests WHERE api_key_id = $1::uuid AND key = $2::text`,
);
export const EXTEND = statement(
  'idempotency-extend',
  `UPDATE idempotent_requests SET lease_until = ${LEASE} WHERE ${MINE}`,
);
/** SQL of an answer without its recipient and error text. */
const emptied = (outcome: string) => `(jsonb_set(${outcome}::jsonb, '{data,recipient}', '""') #- '{data,error}')::json`;

/** The conversation of the message may have been erased meanwhile. */
export const FINISH = statement(
  'idempotency-finish',
  `UPDATE idempotent_requests SET outcome = CASE WHEN EXISTS (
     SELECT FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = $3 AND c.erased_at IS NOT NULL
   ) THEN ${emptied('$4::json')} ELSE $4::json END WHERE ${MINE}`,
);

export const ERASED_COLUMNS = { idempotent_requests: ['outcome'] };

/** Empties the kept answers about the messages of a conversation. $1: conversation */
export const EMPTY_ANSWERS = statement(
  'idempotency-empty',
  `UPDATE idempotent_requests SET outcome = CASE WHEN outcome IS NOT NULL THEN ${emptied('outcome')} END
   FROM messages m
   WHERE m.conversation_id = $1::uuid AND m.created_at > now() - interval '2 days' AND resource_id = m.id`,
);
/** The request did nothing: its key is free again. */
export const GIVE_UP = statement('idempotency-give-up', `DELETE FROM idempotent_requests WHERE ${MINE}`);
/** The request may have done its work: the next one with its key takes over at once. */
export const LAPSE = statement(
  'idempotency-lapse',
  `UPDATE idempotent_requests SET lease_until = ${ENDED} WHERE ${MINE}`,
);
/** Ends the leases of requests; a request lasts minutes at most, so older rows have none. */
export const END_REQUEST_LEASES = `
  UPDATE idempotent_requests SET lease_until = ${ENDED}
  WHERE created_at > now() - interval '1 hour' AND outcome IS NULL AND lease_until > now()`;

export interface ClaimRow extends Record<string, unknown> {
  resource_id: string;
}

export interface StoredRow extends Record<string, unknown> {
  fingerprint: Buffer;
  outcome: Record<string, unknown> | null;
  resource_id: string;
  /** The lease of the first request has expired: its process has died. */
  lapsed: boolean;
  /** The message of the first request is no longer pending: the message holds the answer, the row does not. */
  settled: boolean;
}
