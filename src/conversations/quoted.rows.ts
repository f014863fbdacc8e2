/** A person at a platform. */
export interface Person {
  id: string;
  name: string | null;
  username: string | null;
}

/** The message that another one quotes, as the API shows it. */
export interface Quoted {
  /** Null: the business wrote it, or the platform does not tell. */
  sender: Person | null;
  /** At most 300 characters; null: not known. */
  content: string | null;
}

/** Longest quotation, in Unicode code points. */
export const QUOTED_LENGTH = 300;

/** The quoted message, as it is stored. */
export interface QuotedMessageRow {
  content: string;
  sender: Person | null;
  deleted: boolean | null;
}

/**
 * SQL of the `QuotedMessageRow` of the message that another one quotes; null without one.
 * @param message SQL name of the table of the message that quotes
 */
export const quotedBy = (message: string) => `CASE WHEN ${message}.reply_to IS NOT NULL THEN (
  SELECT json_build_object('content', left(q.content, ${QUOTED_LENGTH + 1}), 'sender', q.sender, 'deleted', q.options -> 'deleted')
  FROM messages q WHERE q.id = ${message}.reply_to
) END`;
