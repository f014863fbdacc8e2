/** Size of the new entries, in KiB, from which on a send must sort them in: a timer does it before. */
const PENDING_KIB = 65_536;

const MESSAGE_INDEX = 'messages_words';

export const CREATE_MESSAGE_INDEX = `CREATE INDEX CONCURRENTLY ${MESSAGE_INDEX} ON messages
  USING gin (message_words(content)) WITH (gin_pending_list_limit = ${PENDING_KIB})`;

/** A build that was interrupted leaves an index that PostgreSQL does not use. */
export const DROP_MESSAGE_INDEX = `DROP INDEX CONCURRENTLY IF EXISTS ${MESSAGE_INDEX}`;

/** For the statistics of the words: without them, PostgreSQL cannot know which words are rare. */
export const ANALYZE_MESSAGES = 'ANALYZE messages';

export const HAS_MESSAGE_INDEX = `SELECT coalesce(
  (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${MESSAGE_INDEX}')), false
) AS "isThere"`;

/** Sorts new entries into the index. */
export const SORT_NEW_ENTRIES = `SELECT gin_clean_pending_list('${MESSAGE_INDEX}')`;
