import { Bindings } from '../database/bindings';
import { statement } from '../database/database.service';
import { WATERMARK } from './watermark.rows';
import { partitionSql, type Partition } from './partition.rows';

/** Messages between two new checkpoints of a partition: a list reads at most so many to find a position. */
export const CHECKPOINT_DISTANCE = 250;

/** Messages that one statement counts; a stop waits for it. */
export const BATCH = 50_000;

/** A message is behind the watermark by then, unless a transaction stays open for minutes: then the next message has it counted. */
export const HAS_RECENT = statement(
  'messages-recent',
  `SELECT EXISTS (
     SELECT FROM messages WHERE environment = ANY (enum_range(NULL::environment)) AND created_at > now() - interval '5 minutes'
   ) AS recent`,
);

/**
 * Adds checkpoints to a partition up to the watermark: a checkpoint never changes. Places are counted from the
 * partition's first message, so that instances find the same checkpoints, whichever they go on from; they insert them in the
 * same order.
 */
export function extendCheckpoints(partition: Partition): { text: string; values: unknown[] } {
  const bindings = new Bindings<keyof Partition>();
  const { ranks, rows, firstRows } = partitionSql(partition, bindings);
  const key = [
    bindings.bind('environment', 'environment'),
    partition.platform ? bindings.bind('platform', 'text') : `'*'`,
    partition.direction ? bindings.bind('direction', 'text') : `'*'`,
  ].join(', ');
  const since = '(SELECT since FROM bounds)';
  const text = `
    WITH ${bindings.given},
    last AS (SELECT at, rank FROM message_ranks WHERE ${ranks} ORDER BY at DESC LIMIT 1),
    bounds AS (
      SELECT coalesce((SELECT at FROM last), '-infinity') AS since, coalesce((SELECT rank FROM last), 0) AS rank,
        ${WATERMARK} AS until
    ),
    -- Of the last rank's very moment. Apart, so that a batch always leads on, however many share one moment.
    same AS (SELECT count(*) AS messages FROM (${rows(`created_at = ${since}`)}) m),
    batch AS (
      SELECT created_at, rank() OVER moments - 1 AS earlier, row_number() OVER moments AS place
      FROM (${firstRows(`created_at > ${since} AND created_at < (SELECT until FROM bounds)`, 'created_at', String(BATCH))}) m
      WINDOW moments AS (ORDER BY created_at)
    ),
    added AS (
      INSERT INTO message_ranks (environment, platform, direction, at, rank)
      SELECT DISTINCT ${key}, created_at, bounds.rank + same.messages + earlier
      FROM batch, same, bounds WHERE (bounds.rank + same.messages + place) % ${CHECKPOINT_DISTANCE} = 0
      ORDER BY created_at
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS read FROM batch`;
  return { text, values: bindings.values.map((name) => partition[name]) };
}
