import { batchStatement } from './batch-statement';

/** The attempts of a batch, and the next state of their dispatches, for the instance that still holds them under its fence. */
const HELD = `
  attempt AS (
    SELECT * FROM json_to_recordset($1::json) AS a (id uuid, webhook_id uuid, event_id uuid, environment environment,
      url text, event_type text, fence integer, number integer, status text, response_code integer, response_time_ms integer,
      response_body text, response_headers json, signed_twice boolean, error text, at timestamptz, state text, retry_after_seconds double precision,
      webhook_status text, mail_id uuid, mail_subject text, mail_text text)
  ),
  held AS (
    UPDATE webhook_dispatches d SET state = a.state, attempts = a.number, lease_until = NULL, faults = 0,
      retries = d.retries + CASE WHEN a.state = 'pending' THEN 1 ELSE 0 END,
      delivered_at = CASE WHEN a.state = 'delivered' THEN coalesce(d.delivered_at, now()) ELSE d.delivered_at END,
      next_at = CASE WHEN a.state = 'pending' THEN now() + make_interval(secs => a.retry_after_seconds) END,
      fence = d.fence + 1
    FROM attempt a WHERE d.event_id = a.event_id AND d.webhook_id = a.webhook_id AND d.fence = a.fence
    RETURNING a.id, d.next_at
  )`;

/** If an erasure has removed the dispatch with its event, the answer is not stored. */
const ofHeld = (column: string) => `CASE WHEN held.id IS NOT NULL THEN ${column} END`;

const INSERT = `
  INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, attempt, status, response_code, response_time_ms,
    response_body, response_headers, url, signed_twice, error, next_retry_at, created_at)
  SELECT a.id, a.webhook_id, a.event_id, a.event_type, a.number, a.status, a.response_code, a.response_time_ms,
    ${ofHeld('a.response_body')}, ${ofHeld('a.response_headers')}, a.url, a.signed_twice, a.error, held.next_at, a.at
  FROM attempt a LEFT JOIN held ON held.id = a.id
  ON CONFLICT (id) DO NOTHING`;

/** Records a batch of attempts. A second run changes nothing. */
export const RECORD = batchStatement(`WITH ${HELD} ${INSERT}`);

/**
 * The same for a batch in which an attempt fails or disables its webhook: it also writes the webhook's new status and the mail to its
 * owner. A verdict on a URL that the webhook no longer has does not count. Few batches need this part, and planning it takes a
 * seventh of a record's time.
 */
export const RECORD_WITH_STATUS = batchStatement(`
  WITH ${HELD},
  recorded AS (${INSERT}),
  verdict AS (
    SELECT DISTINCT ON (a.webhook_id, a.url) a.* FROM attempt a JOIN held ON held.id = a.id
    WHERE a.webhook_status IS NOT NULL ORDER BY a.webhook_id, a.url, a.webhook_status
  ),
  changed AS (
    UPDATE webhooks w SET status = v.webhook_status, updated_at = now()
    FROM verdict v WHERE w.id = v.webhook_id AND w.url = v.url AND w.status = 'active'
    RETURNING v.*
  ),
  mail AS (
    INSERT INTO mail_outbox (id, environment, subject, text, created_at, next_at)
    SELECT mail_id, environment, mail_subject, mail_text, now(), now() FROM changed WHERE mail_id IS NOT NULL
  )
  SELECT webhook_id, webhook_status FROM changed`);
