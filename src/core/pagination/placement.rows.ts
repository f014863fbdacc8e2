/**
 * SQL of the `created_at` of a message without a place in its conversation: a scheduled one before it is sent, or a cancelled one. It
 * is after every watermark, so that no checkpoint counts it. It is not `infinity`, because previous versions format it as a date.
 */
export const UNPLACED = `'9999-12-31 00:00:00+00'::timestamptz`;

/** The same for queries of TypeORM. */
export const UNPLACED_AT = new Date('9999-12-31T00:00:00Z');

/** SQL condition of the messages that have a place. */
export const PLACED = `created_at < ${UNPLACED}`;

/** SQL of the time that a message shows: without a place, the time when the client asked for it. */
export const SHOWN_TIME = `CASE WHEN created_at = ${UNPLACED} THEN accepted_at ELSE created_at END`;
