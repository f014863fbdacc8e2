export const RESTORED_AT = 'restored at';

/** Records in a database that it was restored, and when. */
export const REMEMBER_RESTORE = `
  INSERT INTO deployment (name, value) VALUES ('${RESTORED_AT}', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

export const ALL_OF_DEPLOYMENT = 'SELECT name, value FROM deployment';

/** The row that says which messages of groups the assistant answers unless it is configured: `all` in databases of earlier versions. */
export const GROUP_REPLIES = 'group replies';
