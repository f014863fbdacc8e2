import { DIRECTIONS, PLATFORMS, type Direction, type Environment, type Platform } from '#contracts';
import type { Bindings } from '../../core/database/bindings';
import { PLACED } from '../../core/pagination/placement.rows';

/** The messages of an environment, or those of one platform, one direction or both, in the order of time. */
export interface Partition {
  environment: Environment;
  platform?: Platform;
  direction?: Direction;
}

/** All partitions of an environment: every message is in four of them. */
export function partitionsOf(environment: Environment): Partition[] {
  return [undefined, ...PLATFORMS].flatMap((platform) =>
    [undefined, ...DIRECTIONS].map((direction) => ({ environment, platform, direction })),
  );
}

/** A partition in SQL. Its rows are `id` and `created_at` of its messages; `range` is a condition on `created_at`. */
export interface PartitionSql {
  /** Condition on `message_ranks`: the rows of the partition. */
  ranks: string;
  /** All rows, in any order. */
  rows: (range: string) => string;
  /** The first `limit` rows. */
  firstRows: (range: string, order: string, limit: string) => string;
}

/**
 * The rows of a filtered partition are a union: one ordered part of `messages_filtered_list` for each platform and
 * direction, which PostgreSQL merges. A filter over one index of all messages would read a million of them to find the few
 * of a quiet platform.
 */
export function partitionSql(
  { platform, direction }: Pick<Partition, 'platform' | 'direction'>,
  bindings: Pick<Bindings<keyof Partition>, 'bind'>,
): PartitionSql {
  const own = `environment = ${bindings.bind('environment', 'environment')}`;
  const platformValue = platform && bindings.bind('platform', 'text');
  const directionValue = direction && bindings.bind('direction', 'text');
  const all = `SELECT id, created_at FROM messages WHERE ${own} AND ${PLACED}`;
  const parts =
    platform || direction
      ? (platformValue ? [platformValue] : PLATFORMS.map(literal)).flatMap((one) =>
          (directionValue ? [directionValue] : DIRECTIONS.map(literal)).map(
            (way) => `${all} AND platform = ${one} AND direction = ${way}`,
          ),
        )
      : [all];
  return {
    ranks: `${own} AND platform = ${platformValue ?? literal('*')} AND direction = ${directionValue ?? literal('*')}`,
    rows: (range) => parts.map((part) => `${part} AND ${range}`).join(' UNION ALL '),
    // Each part has the order and limit too, so that PostgreSQL reads it in order and no further than needed.
    firstRows: (range, order, limit) => {
      const first = `ORDER BY ${order} LIMIT ${limit}`;
      const merged = parts.map((part) => `(${part} AND ${range} ${first})`).join(' UNION ALL ');
      return `SELECT id, created_at FROM (${merged}) parts ${first}`;
    },
  };
}

function literal(word: string): string {
  return `'${word}'`;
}
