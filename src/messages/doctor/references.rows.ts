/** Rows of each table that are looked at: the newest ones, which programs of this version have written. */
export const LOOKED_AT = 100_000;

const orphans = (table: string, key: string, order: string, target: string) => `
  (SELECT count(*)::integer FROM (SELECT ${key} AS named FROM ${table} ORDER BY ${order} DESC LIMIT ${LOOKED_AT}) newest
   WHERE NOT EXISTS (SELECT FROM ${target} WHERE ${target}.id = newest.named)) AS ${table}`;

export type OrphansRow = Record<'messages' | 'message_parts' | 'reply_tasks', number>;

/** How many rows name a conversation or a message that is not there. No foreign key checks that. */
export const COUNT_ORPHANS = `SELECT
  ${orphans('messages', 'conversation_id', 'id', 'conversations')},
  ${orphans('message_parts', 'message_id', 'message_id', 'messages')},
  ${orphans('reply_tasks', 'conversation_id', 'conversation_id', 'conversations')}`;
