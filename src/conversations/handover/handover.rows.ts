import { ENDED } from '../../core/database/lease';

/** The due work of handovers that have an end. */
export const DUE_HANDOVERS = {
  table: 'handovers',
  key: 'conversation_id',
  environment: 'environment',
  columns: 'conversation_id, resume_at',
  leaseSeconds: 15,
};

export const END_HANDOVER_LEASES = `UPDATE handovers SET lease_until = ${ENDED} WHERE lease_until > now()`;
