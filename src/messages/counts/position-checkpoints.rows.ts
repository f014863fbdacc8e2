import { Bindings } from '../../core/database/bindings';
import { statement } from '../../core/database/database.service';
import { PLACED } from '../../core/pagination/placement.rows';
import { WATERMARK } from './watermark.rows';
import { partitionSql, type Partition } from './partition.rows';

/** Messages between two new checkpoints of a partition: to find a position, a list reads at most this many. */
export const CHECKPOINT_DISTANCE = 250;

/** Messages that one statement counts; a shutdown waits for it. */
export const BATCH = 50_000;

/**
 * After five minutes a message is behind the watermark. If a transaction stays open longer, the next message has it counted.
 */
export const HAS_RECENT = statement(
  'messages-recent',
  `SELECT EXISTS (
     SELECT FROM messages WHERE environment = ANY (enum_range(NULL::environment)) AND created_at > now() - interval '5 minutes' AND ${PLACED}
   ) AS recent`,
);

/**
 * Adds checkpoints to a partition, only up to the watermark: a checkpoint never changes. Instances count from the
 * partition's first message, so that they compute the same checkpoints whichever checkpoint they continue from; they insert
 * them in the same order.
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
    -- Messages of exactly the last checkpoint's moment. Not in the batch, so that every batch advances, however many share a moment.
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
