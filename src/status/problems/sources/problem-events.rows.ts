import { composedStatement, statement } from '../../../core/database/database.service';
import { MOST_COUNTED, MOST_SAMPLES } from '../problem';

/** Repeats the condition of the index `events_problems`: PostgreSQL uses the index only for the same text. */
const IS_PROBLEM = `type IN ('ai.error', 'attachment.failed', 'integration.error', 'message.failed')`;
/** Limits the causes: each platform has its own codes. */
const MOST_CAUSES = 500;

export type ProblemEventType = 'ai.error' | 'attachment.failed' | 'integration.error' | 'message.failed';

/**
 * The causes of a type of event. One index look-up finds each cause; the events in between are not read. `$1` the
 * environment
 */
export const causesOf = (type: ProblemEventType) =>
  composedStatement(
    'problem-causes',
    `WITH RECURSIVE found AS (
       (SELECT event_cause(body) AS cause FROM events
        WHERE environment = $1 AND type = '${type}' AND ${IS_PROBLEM} ORDER BY event_cause(body) LIMIT 1)
       UNION ALL
       SELECT (SELECT event_cause(body) FROM events
         WHERE environment = $1 AND type = '${type}' AND ${IS_PROBLEM} AND event_cause(body) > found.cause
         ORDER BY event_cause(body) LIMIT 1)
       FROM found WHERE found.cause IS NOT NULL
     )
     SELECT cause FROM found WHERE cause IS NOT NULL LIMIT ${MOST_CAUSES}`,
  );

export interface EventGroupRow {
  cause: string;
  count: number;
  first_at: Date;
  last_at: Date;
  samples: string[];
  [column: string]: unknown;
}

/**
 * `$1` the environment, `$2` causes, `$3` for each the time from which its events count. Causes without such an event are
 * left out.
 */
export const groupsOf = (type: ProblemEventType) => {
  const matches = `environment = $1 AND type = '${type}' AND ${IS_PROBLEM} AND event_cause(body) = looked.cause AND created_at >= looked.since`;
  return composedStatement(
    'problem-groups',
    `SELECT looked.cause, counted.count, first.created_at AS first_at, newest.last_at, newest.samples
     FROM unnest($2::text[], $3::timestamptz[]) AS looked(cause, since)
     CROSS JOIN LATERAL (SELECT created_at FROM events WHERE ${matches} ORDER BY created_at, id LIMIT 1) first
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS count FROM (SELECT FROM events WHERE ${matches} LIMIT ${MOST_COUNTED}) listed
     ) counted
     CROSS JOIN LATERAL (
       SELECT max(created_at) AS last_at,
         json_agg(body ORDER BY created_at DESC, id DESC) AS samples
       FROM (SELECT id, body, created_at FROM events WHERE ${matches} ORDER BY created_at DESC, id DESC LIMIT ${MOST_SAMPLES}) listed
     ) newest`,
  );
};

/** When the AI last answered, from the newest hours with an answer. `$1` the environment */
export const LAST_ANSWER = statement(
  'problem-last-answer',
  `SELECT max(answered_at) AS at FROM (
     SELECT answered_at FROM ai_usage WHERE environment = $1 AND answered_at IS NOT NULL ORDER BY hour DESC LIMIT 500
   ) newest`,
);
