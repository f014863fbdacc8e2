export const LIVE_RECEIVERS = `SELECT id, url FROM webhooks WHERE environment = 'live' AND status <> 'disabled' ORDER BY status, created_at`;

export const COUNT_LIVE_RECEIVERS = `SELECT count(*)::int AS total FROM webhooks WHERE environment = 'live' AND status <> 'disabled'`;
