/**
 * Whether the platform has rows of another account, whose keys may be the same. $1: environment, $2: platform, $3: key of the
 * account. Two ranges instead of an inequality, so that an index finds them.
 */
export const NEEDS_FINISHED_SCHEMA = `
  SELECT EXISTS (SELECT FROM conversations WHERE environment = $1 AND platform = $2 AND account < $3)
    OR EXISTS (SELECT FROM conversations WHERE environment = $1 AND platform = $2 AND account > $3)
    OR $1 = 'live' AND EXISTS (SELECT FROM integrations WHERE platform = $2 AND account <> $3) AS needed`;

/** In a restored database: accounts of the API stay disconnected until the operator enables them. */
export const DISABLE_ACCOUNTS = `UPDATE accounts SET enabled = false WHERE source = 'api' AND enabled AND deleted_at IS NULL`;
