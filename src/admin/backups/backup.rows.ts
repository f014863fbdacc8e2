/** Those that have ended, the newest first. */
export const LAST_BACKUPS = `
  SELECT status, trigger, started_at, size_bytes, error, file, folder FROM backups WHERE status <> 'running'
  ORDER BY started_at DESC LIMIT 1000`;

/** The use of the gateway begins with its first key. */
export const USED_SINCE = 'SELECT min(created_at) AS since FROM api_keys';
