import { ENDED } from '../../core/database/lease';
import { HELD_MAIL } from '../../core/work/monitor/held-work.rows';

export const END_MAIL_LEASES = `
  UPDATE mail_outbox SET lease_until = ${ENDED} WHERE next_at IS NOT NULL AND lease_until > now()`;

/** In a restored database: these mails may have been sent since the backup. They wait for the operator. */
export const HOLD_MAIL = `
  UPDATE mail_outbox SET error = '${HELD_MAIL}', next_at = NULL, lease_until = NULL, fence = fence + 1
  WHERE next_at IS NOT NULL`;
