/** How many rows of each table are checked: the newest ones, which this version has written. */
export const LOOKED_AT = 100_000;

const orphans = (table: string, key: string, order: string, target: string) => `
  (SELECT count(*)::integer FROM (SELECT ${key} AS named FROM ${table} ORDER BY ${order} DESC LIMIT ${LOOKED_AT}) newest
   WHERE NOT EXISTS (SELECT FROM ${target} WHERE ${target}.id = newest.named)) AS ${table}`;

export type OrphansRow = Record<'messages' | 'message_parts' | 'reply_tasks', number>;

/** Counts rows that refer to a missing conversation or message. No foreign key checks that. */
export const COUNT_ORPHANS = `SELECT
  ${orphans('messages', 'conversation_id', 'id', 'conversations')},
  ${orphans('message_parts', 'message_id', 'message_id', 'messages')},
  ${orphans('reply_tasks', 'conversation_id', 'conversation_id', 'conversations')}`;
