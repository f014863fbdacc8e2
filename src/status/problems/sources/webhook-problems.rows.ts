import { statement } from '../../../core/database/database.service';
import { MOST_SAMPLES } from '../problem';

export const FAILURES_IN_A_ROW = 3;
/** Attempts that are read of each webhook: 1,000 webhooks may fail at once. */
const MOST_ATTEMPTS = 1_000;

export interface FailingWebhookRow {
  id: string;
  status: 'active' | 'failed';
  count: number;
  first_at: Date;
  last_at: Date;
  samples: string[] | null;
  [column: string]: unknown;
}

/**
 * The webhooks whose newest attempts failed or that are disabled as `failed`, with the attempts since their last success.
 * `$1` the environment, `$2` how many webhooks at most.
 */
export const FAILING_WEBHOOKS = statement(
  'problem-webhooks',
  `WITH failing AS (
     SELECT webhook.id, webhook.status, webhook.updated_at, newest.last_at
     FROM webhooks webhook
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE status = 'failed') AS failures, max(created_at) AS last_at FROM (
         SELECT status, created_at FROM webhook_deliveries
         WHERE webhook_id = webhook.id ORDER BY created_at DESC, id DESC LIMIT ${FAILURES_IN_A_ROW}
       ) last
     ) newest
     WHERE webhook.environment = $1
       AND (webhook.status = 'failed' OR (webhook.status = 'active' AND newest.failures = ${FAILURES_IN_A_ROW}))
     ORDER BY coalesce(newest.last_at, webhook.updated_at) DESC LIMIT $2
   )
   SELECT failing.id, failing.status, greatest(run.count, 1)::int AS count, run.samples,
     coalesce(run.first_at, failing.updated_at) AS first_at, greatest(run.last_at, CASE WHEN failing.status = 'failed' THEN failing.updated_at END) AS last_at
   FROM failing
   CROSS JOIN LATERAL (
     SELECT count(*) AS count, min(created_at) AS first_at, max(created_at) AS last_at,
       (array_agg(id ORDER BY created_at DESC, id DESC))[1:${MOST_SAMPLES}] AS samples
     FROM (
       SELECT id, created_at, count(*) FILTER (WHERE status = 'success') OVER (ORDER BY created_at DESC, id DESC) AS successes
       FROM (
         SELECT id, created_at, status FROM webhook_deliveries
         WHERE webhook_id = failing.id ORDER BY created_at DESC, id DESC LIMIT ${MOST_ATTEMPTS}
       ) attempt
     ) numbered WHERE successes = 0
   ) run`,
);
