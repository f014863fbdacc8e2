import { statement } from '../core/database/database.service';

/** Each instance records every minute that it uses its folder; a folder that was not seen for longer is no longer used. */
const USED = `seen_at > now() - interval '3 minutes'`;

/** Records a use, forgets folders that are no longer used, and returns whether another folder is in use. $1: this instance's folder */
export const USE_FOLDER = statement(
  'media-folder',
  `WITH mine AS (
     INSERT INTO media_folders (id, seen_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
   ),
   old AS (DELETE FROM media_folders WHERE id <> $1 AND NOT ${USED})
   SELECT EXISTS (SELECT FROM media_folders WHERE id <> $1 AND ${USED}) AS others`,
);

/** How many folders are in use. */
export const USED_FOLDERS = `SELECT count(*)::int AS used FROM media_folders WHERE ${USED}`;

/** After a restore: the folders in a backup are those of another deployment. */
export const FORGET_FOLDERS = 'DELETE FROM media_folders';
