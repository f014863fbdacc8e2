import type { Environment } from '#contracts';
import { HELD_MAIL } from '../webhooks/entities/mail.entity';

/** Work that a restore holds until `gateway webhooks resume`. */
export interface HeldWorkCount {
  deliveries: number;
  mails: number;
}

export type HeldWorkRow = HeldWorkCount & { environment: Environment };

/** One row for each environment that has held work. */
export const COUNT_HELD_WORK = `
  SELECT environment, sum(deliveries)::integer AS deliveries, sum(mails)::integer AS mails
  FROM (
    SELECT w.environment, 1 AS deliveries, 0 AS mails
    FROM webhook_dispatches d JOIN webhooks w ON w.id = d.webhook_id WHERE d.state = 'held'
    UNION ALL
    SELECT environment, 0, 1 FROM mail_outbox WHERE error = '${HELD_MAIL}'
  ) held
  GROUP BY environment`;
