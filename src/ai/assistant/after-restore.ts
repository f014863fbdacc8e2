/** In a restored database: what was to be answered has been answered since the backup, or is too old for an answer. */
export const DROP_REPLIES = `
  UPDATE reply_tasks SET answered_seq = greatest(answered_seq, requested_seq), next_at = NULL, lease_until = NULL,
    fence = fence + 1, attempts = 0, faults = 0, admitted = false, request_id = NULL
  WHERE next_at IS NOT NULL`;
