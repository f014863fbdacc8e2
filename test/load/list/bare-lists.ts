import type { Client, Pool } from 'pg';
import { CONVERSATION_ROWS, MESSAGE_ROWS } from './list-rows';

const SCHEMA = `
  CREATE TABLE conversation (id uuid PRIMARY KEY, platform text NOT NULL, participant text NOT NULL, messages int NOT NULL);
  CREATE TABLE message (
    id uuid PRIMARY KEY, conversation_id uuid NOT NULL, platform text NOT NULL, direction text NOT NULL, content text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE TABLE message_hour (
    platform text NOT NULL, direction text NOT NULL, hour timestamptz NOT NULL, before bigint NOT NULL,
    PRIMARY KEY (platform, direction, hour)
  )`;

/** An index per combination of filters, in the order of the list. */
const INDEXES = `
  CREATE INDEX message_hour_before ON message_hour (platform, direction, before);
  CREATE INDEX message_time ON message (created_at, id);
  CREATE INDEX message_platform ON message (platform, created_at, id);
  CREATE INDEX message_direction ON message (direction, created_at, id);
  CREATE INDEX message_both ON message (platform, direction, created_at, id);
  CREATE INDEX message_conversation ON message (conversation_id, created_at, id)`;

/**
 * Counts the messages before each hour, per combination of filters ('' means any). A real server would add an hour once no
 * older transaction can still write to it. Here the data no longer change.
 */
const COUNT_HOURS = `
  INSERT INTO message_hour
  SELECT platform, direction, hour, sum(count) OVER (PARTITION BY platform, direction ORDER BY hour) - count
  FROM (
    SELECT coalesce(message.platform, '') AS platform, coalesce(message.direction, '') AS direction, hour, count(*) AS count
    FROM message, date_trunc('hour', created_at, 'UTC') AS hour
    GROUP BY GROUPING SETS ((hour), (message.platform, hour), (message.direction, hour), (message.platform, message.direction, hour))
  ) counted`;

export interface BareListQuery {
  page: number;
  per_page: number;
  sort: '-created_at' | 'created_at';
  platform?: string;
  direction?: string;
  from?: Date;
  until?: Date;
  /** UUID. */
  conversationId?: string;
}

/** A row of a page. A row without an id has only the total. */
export interface BareListRow {
  total: string;
  id: string | null;
  conversation_id: string;
  platform: string;
  direction: string;
  content: string;
  created_at: Date;
}

/** Creates and fills the tables. @param until time of the last message */
export async function fillBareLists(client: Client, messages: number, until: Date): Promise<void> {
  await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; ${SCHEMA}`);
  await client.query(
    `INSERT INTO message SELECT id, conversation_id, platform, direction, content, created_at FROM (${MESSAGE_ROWS}) generated`,
    [messages, until],
  );
  await client.query(`${INDEXES}; ${COUNT_HOURS}`);
  await client.query(
    `INSERT INTO conversation
     SELECT id, platform, participant, (SELECT count(*) FROM message WHERE conversation_id = generated.id)
     FROM (${CONVERSATION_ROWS}) generated`,
  );
  await client.query('VACUUM ANALYZE');
}

/** Reads any page of messages and the exact total in one statement. Its cost does not grow with the list. */
export class BareLists {
  constructor(private readonly pool: Pool) {}

  async list(query: BareListQuery): Promise<BareListRow[]> {
    const { text, name, values } = query.conversationId === undefined ? timedList(query) : conversationList(query);
    return (await this.pool.query<BareListRow>({ name, text, values })).rows;
  }
}

interface NamedQuery {
  name: string;
  text: string;
  values: unknown[];
}

const offsetOf = ({ page, per_page: perPage }: BareListQuery) => (page - 1) * perPage;

function conversationList(query: BareListQuery): NamedQuery {
  const order = query.sort === 'created_at' ? 'ASC' : 'DESC';
  const text = `
    SELECT total, m.* FROM (SELECT coalesce((SELECT messages FROM conversation WHERE id = $1), 0) AS total) t LEFT JOIN (
      SELECT * FROM message WHERE conversation_id = $1 ORDER BY created_at ${order}, id ${order} LIMIT $2 OFFSET $3
    ) m ON true ORDER BY created_at ${order}, id ${order}`;
  return { name: `conversation-${order}`, text, values: [query.conversationId, query.per_page, offsetOf(query)] };
}

/**
 * The total is the difference of two positions, and a page starts at the hour nearest to its position. So the query counts or
 * skips the messages of at most an hour.
 */
function timedList(query: BareListQuery): NamedQuery {
  const isDescending = query.sort === '-created_at';
  const order = isDescending ? 'DESC' : 'ASC';
  const { platform, direction } = query;
  // The text contains only the given filters, so that the planner picks their index.
  const filters = [
    platform === undefined ? '$5 = $5' : 'platform = $5',
    direction === undefined ? '$6 = $6' : 'direction = $6',
  ];
  const filtered = filters.join(' AND ');
  const hours = 'message_hour WHERE platform = $5 AND direction = $6';
  const position = (moment: string) => `
    SELECT coalesce(max(before), 0) + (
      SELECT count(*) FROM message
      WHERE ${filtered} AND created_at >= coalesce(max(hour), '-infinity') AND created_at < ${moment}
    ) AS position
    FROM (SELECT hour, before FROM ${hours} AND hour <= ${moment} ORDER BY hour DESC LIMIT 1) last`;
  const start = isDescending
    ? `SELECT hour, before - place.position AS skip FROM place, LATERAL (
         SELECT hour, before FROM ${hours} AND before >= place.position ORDER BY before LIMIT 1
       ) hours WHERE hour <= $4`
    : `SELECT hour, place.position - before AS skip FROM place, LATERAL (
         SELECT hour, before FROM ${hours} AND before <= place.position ORDER BY before DESC LIMIT 1
       ) hours WHERE hour >= $3`;
  const range = isDescending
    ? `created_at >= $3 AND created_at < coalesce((SELECT hour FROM start), $4)`
    : `created_at >= coalesce((SELECT hour FROM start), $3) AND created_at < $4`;
  const text = `
    WITH upper AS (${position('$4::timestamptz')}), lower AS (${position('$3::timestamptz')}),
    place AS (SELECT ${isDescending ? 'upper.position - $2::bigint' : 'lower.position + $2::bigint'} AS position FROM upper, lower),
    start AS (${start}),
    page AS (
      SELECT id FROM message WHERE ${filtered} AND ${range}
      ORDER BY created_at ${order}, id ${order} LIMIT $1 OFFSET coalesce((SELECT skip FROM start), $2)
    )
    SELECT upper.position - lower.position AS total, m.*
    FROM upper CROSS JOIN lower LEFT JOIN (SELECT message.* FROM page JOIN message USING (id)) m ON true
    ORDER BY created_at ${order}, id ${order}`;
  return {
    name: `list-${platform !== undefined}-${direction !== undefined}-${order}`,
    text,
    values: [
      query.per_page,
      offsetOf(query),
      query.from ?? '-infinity',
      query.until ?? 'infinity',
      platform ?? '',
      direction ?? '',
    ],
  };
}
