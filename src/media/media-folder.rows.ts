import { statement } from '../core/database/database.service';

/** An instance says each minute that it uses its folder; one that was not seen for longer is used no more. */
const USED = `seen_at > now() - interval '3 minutes'`;

/** $1: the folder that this instance uses. Forgets those that are used no more; tells whether another one is. */
export const USE_FOLDER = statement(
  'media-folder',
  `WITH mine AS (
     INSERT INTO media_folders (id, seen_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
   ),
   old AS (DELETE FROM media_folders WHERE id <> $1 AND NOT ${USED})
   SELECT EXISTS (SELECT FROM media_folders WHERE id <> $1 AND ${USED}) AS others`,
);

/** How many folders are used. */
export const USED_FOLDERS = `SELECT count(*)::int AS used FROM media_folders WHERE ${USED}`;
