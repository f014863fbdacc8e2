/** The backups that have ended, newest first. */
export const LAST_BACKUPS = `
  SELECT status, trigger, started_at, error, file, folder FROM backups WHERE status <> 'running'
  ORDER BY started_at DESC LIMIT 1000`;

/** When the first key was created: a gateway without keys is not in use. */
export const USED_SINCE = 'SELECT min(created_at) AS since FROM api_keys';
