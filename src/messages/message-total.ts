import type { Direction, Environment, Platform } from '#contracts';

export interface MessageFilter {
  environment: Environment;
  platform?: Platform;
  direction?: Direction;
  /** Included. */
  from?: Date;
  /** Not included. */
  until?: Date;
  conversationId?: string;
}

export const MESSAGE_ROLLUP = 'messages';

export interface FilteredTotal {
  /** SQL that a message must meet. */
  conditions: string;
  /** SQL of one number: how many messages meet it. */
  total: string;
  values: unknown[];
}

/**
 * The exact number of messages that a filter selects, without reading them: whole hours come from the roll-up, only the
 * hours cut by the filter's ends and what came after the last roll-up are counted. A conversation's messages are counted
 * by its index, or known from its row.
 */
export function messageTotal(filter: MessageFilter): FilteredTotal {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const matches: string[] = [`environment = ${bind(filter.environment)}`];
  if (filter.platform) matches.push(`platform = ${bind(filter.platform)}`);
  if (filter.direction) matches.push(`direction = ${bind(filter.direction)}`);
  const match = matches.join(' AND ');
  const from = filter.from && `${bind(filter.from)}::timestamptz`;
  const until = filter.until && `${bind(filter.until)}::timestamptz`;
  const range = [...(from ? [`created_at >= ${from}`] : []), ...(until ? [`created_at < ${until}`] : [])];
  const conversation = filter.conversationId && `conversation_id = ${bind(filter.conversationId)}`;
  const conditions = [match, ...range, ...(conversation ? [conversation] : [])].join(' AND ');
  if (conversation) return { conditions, values, total: conversationTotal(filter, conditions, conversation) };
  return { conditions, values, total: rolledUpTotal(match, from, until) };
}

function conversationTotal(
  { platform, direction, from, until }: MessageFilter,
  conditions: string,
  conversation: string,
): string {
  if (platform ?? direction ?? from ?? until) return `SELECT count(*) FROM messages WHERE ${conditions}`;
  return `SELECT coalesce((SELECT message_count FROM conversations WHERE ${conversation.replace('conversation_id', 'id')} AND environment = $1), 0)`;
}

function rolledUpTotal(match: string, from: string | undefined, until: string | undefined): string {
  const through = `(SELECT through FROM rollups WHERE name = '${MESSAGE_ROLLUP}')`;
  // [first, last) are the whole hours inside the range that the roll-up holds.
  const first = from
    ? `date_trunc('hour', ${from} + interval '1 hour' - interval '1 microsecond', 'UTC')`
    : `'-infinity'::timestamptz`;
  const last = until ? `least(date_trunc('hour', ${until}, 'UTC'), ${through})` : through;
  const head = from
    ? `created_at >= ${from} AND created_at < least(${first}, ${until ?? `'infinity'::timestamptz`})`
    : 'false';
  const tail = `created_at >= greatest(${last}, ${first}) ${until ? `AND created_at < ${until}` : ''}`;
  return `SELECT
    coalesce((SELECT sum(count) FROM message_counts WHERE ${match} AND hour >= ${first} AND hour < ${last}), 0)
    ${from ? `+ (SELECT count(*) FROM messages WHERE ${match} AND ${head})` : ''}
    + (SELECT count(*) FROM messages WHERE ${match} AND ${tail})`;
}
