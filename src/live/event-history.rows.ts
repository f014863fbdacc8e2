import { statement } from '../core/database/database.service';

/** Events that one statement reads. */
export const HISTORY_PAGE = 200;

/** A webhook's test event is for its receiver alone. Only `system.health` can be one, and no other value in it is `true`. */
const IS_NOT_TEST = `NOT (type = 'system.health' AND body LIKE '%"test":true%')`;

export const NEWEST = statement(
  'live-newest',
  'SELECT id FROM events WHERE environment = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
);

/**
 * Finds an event's time; erasing a conversation may have removed the event. $1: id, $2: environment, $3: the id's time, or
 * null if events of that time are no longer kept
 */
export const FIND = statement(
  'live-find',
  `SELECT created_at AS "createdAt" FROM events WHERE id = $1 AND environment = $2
   UNION ALL
   SELECT $3::timestamptz WHERE NOT EXISTS (SELECT FROM events WHERE id = $1)
     AND EXISTS (SELECT FROM conversations WHERE environment = $2 AND erased_at >= $3::timestamptz)
   LIMIT 1`,
);

export const READ = statement(
  'live-read',
  `SELECT id, environment, type, body, created_at AS "createdAt" FROM events
   WHERE id = ANY($1::uuid[]) AND ${IS_NOT_TEST} ORDER BY created_at, id`,
);

export const SINCE = statement(
  'live-since',
  `SELECT id FROM events WHERE environment IN ('live', 'test') AND created_at >= $1`,
);

/** Reads a page of events of all types: a search for rare types would read all other events anyway. */
export const PAGE = statement(
  'live-page-sizes',
  `SELECT id, created_at AS "createdAt",
     CASE WHEN type = ANY($4::text[]) AND ${IS_NOT_TEST} THEN octet_length(body) END AS bytes
   FROM events WHERE environment = $1 AND (created_at, id) > ($2::timestamptz, $3::uuid)
   ORDER BY created_at, id LIMIT ${HISTORY_PAGE}`,
);

export const READ_BODY = statement('event-read', 'SELECT body FROM events WHERE id = $1 AND environment = $2');
