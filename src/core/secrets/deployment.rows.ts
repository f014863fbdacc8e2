export const RESTORED_AT = 'restored at';

/** Records in a database that it was restored, and when. */
export const REMEMBER_RESTORE = `
  INSERT INTO deployment (name, value) VALUES ('${RESTORED_AT}', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

export const ALL_OF_DEPLOYMENT = 'SELECT name, value FROM deployment';
