import { statement } from '../../core/database/database.service';

/** $1: messages, $2 and $3: the times of the first and the last one, which name their partitions */
export const LEAVE_OUT = statement(
  'message-leave-out',
  `UPDATE messages SET options = coalesce(options, '{}') || '{"in_context": false}'
   WHERE id = ANY($1::uuid[]) AND created_at BETWEEN $2::timestamptz AND $3::timestamptz`,
);
