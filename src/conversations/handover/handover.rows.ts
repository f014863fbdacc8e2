import { statement } from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import { ISO_TIMES } from '../../core/pagination/iso-times';
import { WITH_MERGED } from '../open-conversation.rows';

/** The due work of handovers that have an end. */
export const DUE_HANDOVERS = {
  table: 'handovers',
  key: 'conversation_id',
  environment: 'environment',
  columns: 'conversation_id, resume_at',
  leaseSeconds: 15,
};

export const END_HANDOVER_LEASES = `UPDATE handovers SET lease_until = ${ENDED} WHERE lease_until > now()`;

const COLUMNS = 'request_id AS id, reason, summary, note, assignee, requested_at, taken_at';

/** The handovers of a conversation and of those merged into it, newest first. $1: the conversation, $2: how many, $3: how many are skipped */
export const LIST_HANDOVERS = {
  ...statement(
    'handovers-list',
    `WITH handover AS (
       SELECT ${COLUMNS}, resume_at, NULL::timestamptz AS resumed_at, NULL AS ended_by FROM handovers
       WHERE conversation_id IN ${WITH_MERGED('$1::uuid')}
       UNION ALL
       SELECT ${COLUMNS}, NULL, resumed_at, ended_by FROM past_handovers WHERE conversation_id IN ${WITH_MERGED('$1::uuid')}
     ),
     page AS (SELECT * FROM handover ORDER BY resumed_at DESC NULLS FIRST, id DESC LIMIT $2::bigint OFFSET $3::bigint)
     SELECT total, page.* FROM (SELECT count(*) AS total FROM handover) counted LEFT JOIN page ON true
     ORDER BY resumed_at DESC NULLS FIRST, id DESC`,
  ),
  types: ISO_TIMES,
};
