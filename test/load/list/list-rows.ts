/** The messages cover this many days. */
export const DAYS = 90;
export const CONVERSATIONS = 10_000;
/** Conversations on Discord, a platform with almost no messages. */
const SILENT = 5;

/** UUID of a conversation. @param number from 0 */
export function conversationUuid(number: number): string {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

const uuidOf = (number: string) => `('00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const platformOf = (number: string) =>
  `CASE WHEN ${number} < ${SILENT} THEN 'discord' WHEN ${number} % 3 = 0 THEN 'whatsapp' ELSE 'telegram' END`;

/** SQL of all conversations: `id`, `platform`, `participant`. */
export const CONVERSATION_ROWS = `
  SELECT ${uuidOf('i')} AS id, ${platformOf('i')} AS platform, 'recipient-' || i AS participant
  FROM generate_series(0, ${CONVERSATIONS - 1}) i`;

/**
 * SQL of $1 messages, the same at each call: `i`, `id`, `conversation_id`, `platform`, `direction`, `content`, `created_at`.
 * Spread evenly over the days up to $2. Every eleventh message has the same millisecond as its predecessor.
 */
export const MESSAGE_ROWS = `
  SELECT i, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0') || '8'
      || lpad(to_hex(i), 15, '0'))::uuid AS id,
    ${uuidOf('c')} AS conversation_id, ${platformOf('c')} AS platform,
    CASE WHEN i % 2 = 0 THEN 'inbound' ELSE 'outbound' END AS direction,
    'Your order ' || i || ' has been shipped. It will arrive on Thursday between 9 and 12.' AS content, at AS created_at
  FROM (
    SELECT i, abs(hashint4(i)::bigint) % ${CONVERSATIONS} AS c, date_trunc('milliseconds', $2::timestamptz
      - ($1::int - i + (i % 11 = 0)::int) * interval '${DAYS} days' / $1::int) AS at
    FROM generate_series(1, $1::int) i
  ) numbered`;
