import { statement } from '../../core/database/database.service';

/** How long a refused message counts as a stop: Meta refuses some for other reasons than the person's choice. */
const REFUSED_FOR = `interval '7 days'`;

/**
 * An older preference has no effect, and a refusal does not shorten the stop of a person. Meta's times are whole seconds: of the
 * same second, what the person chose counts, not the refusal.
 */
const REPLACE = `ON CONFLICT (environment, platform, account, participant_id) DO UPDATE SET
  allowed = excluded.allowed, changed_at = excluded.changed_at, ends_at = excluded.ends_at
WHERE (excluded.changed_at, excluded.ends_at IS NULL) > (p.changed_at, false) AND (excluded.ends_at IS NULL OR p.allowed OR p.ends_at IS NOT NULL)`;

/** $1: environment, $2: platform, $3: the person, $4: whether the person takes marketing messages, $5: since when, $6: account. */
export const PREFER = statement(
  'marketing-prefer',
  `INSERT INTO marketing_preferences AS p (environment, platform, participant_id, allowed, changed_at, account)
   VALUES ($1::environment, $2::text, $3::text, $4::boolean, $5::timestamptz, $6::text)
   ${REPLACE}`,
);

/** The platform refused a marketing message. The lock makes the statement wait for an erasure. $1: conversations. */
export const REFUSE = statement(
  'marketing-refuse',
  `INSERT INTO marketing_preferences AS p (environment, platform, account, participant_id, allowed, changed_at, ends_at)
   SELECT environment, platform, account, participant_id, false, at, at + ${REFUSED_FOR} FROM (
     SELECT environment, platform, account, participant_id, date_trunc('second', now()) AS at FROM conversations
     WHERE id = ANY ($1::uuid[]) AND participant_id IS NOT NULL ORDER BY id FOR SHARE
   ) refused
   ${REPLACE}`,
);

export interface StopRow {
  since: Date;
  until: Date | null;
}

/** The stop that is in force, under any id of the person. $1: conversation. */
export const STOP = statement(
  'marketing-stop',
  `WITH preference AS (
     SELECT p.allowed, p.changed_at, p.ends_at FROM conversations c
     CROSS JOIN LATERAL (
       SELECT c.participant_id AS id UNION SELECT a.alias FROM participant_aliases a
       WHERE a.environment = c.environment AND a.platform = c.platform AND a.account = c.account AND a.participant_id = c.participant_id
     ) known
     JOIN marketing_preferences p ON p.environment = c.environment AND p.platform = c.platform
       AND p.account = c.account AND p.participant_id = known.id
     WHERE c.id = $1::uuid
   )
   SELECT changed_at AS since, ends_at AS until FROM preference
   WHERE NOT allowed AND (ends_at IS NULL OR ends_at > now())
     AND (changed_at, ends_at IS NULL) > (coalesce((SELECT max(changed_at) FROM preference WHERE allowed), '-infinity'), false)
   ORDER BY ends_at DESC NULLS FIRST LIMIT 1`,
);
