import { statement } from '../database/database.service';
import { ENDED, leaseOf } from '../database/lease';

const LEASE = leaseOf(30);
const FORGOTTEN = `r.created_at < now() - interval '24 hours'`;
const MINE = 'api_key_id = $1::uuid AND key = $2::text AND resource_id = $3::uuid AND outcome IS NULL';

/** No row: another request holds the key, or is answered. Another id than $4: the request that held the key was interrupted. */
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
export const FIND = statement(
  'idempotency-find',
  `SELECT fingerprint, outcome, outcome IS NULL AND lease_until < now() AS lapsed
   FROM idempotent_requests WHERE api_key_id = $1::uuid AND key = $2::text`,
);
export const EXTEND = statement(
  'idempotency-extend',
  `UPDATE idempotent_requests SET lease_until = ${LEASE} WHERE ${MINE}`,
);
export const FINISH = statement(
  'idempotency-finish',
  `UPDATE idempotent_requests SET outcome = $4::json WHERE ${MINE}`,
);
/** The request did nothing: its key is free again. */
export const GIVE_UP = statement('idempotency-give-up', `DELETE FROM idempotent_requests WHERE ${MINE}`);
/** The request may have done its work: the next one with its key takes over at once. */
export const LAPSE = statement(
  'idempotency-lapse',
  `UPDATE idempotent_requests SET lease_until = ${ENDED} WHERE ${MINE}`,
);
/** A request lasts minutes at most. */
export const END_REQUEST_LEASES = `
  UPDATE idempotent_requests SET lease_until = ${ENDED}
  WHERE created_at > now() - interval '1 hour' AND outcome IS NULL AND lease_until > now()`;

export interface ClaimRow extends Record<string, unknown> {
  resource_id: string;
}

export interface StoredRow extends Record<string, unknown> {
  fingerprint: Buffer;
  outcome: Record<string, unknown> | null;
  /** The process of the first request has died. */
  lapsed: boolean;
}
