/** The tables that are partitioned by the time in their ids, and the column of the id. */
export const PARTITION_KEYS = {
  audit_log: 'id',
  events: 'id',
  webhook_deliveries: 'id',
  webhook_dispatches: 'event_id',
} as const;
export type PartitionedTable = keyof typeof PARTITION_KEYS;

/** PostgreSQL cleans a partition up often and briefly, as the first ones are by a migration. */
const OFTEN = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02`;
/** Further settings of a table's partitions. */
const STORAGE: Partial<Record<PartitionedTable, string>> = { webhook_dispatches: ', fillfactor = 80' };

export interface PartitionRow {
  name: string;
  /** The first id that belongs to it; null: it begins with the least one, or takes what no other one takes. */
  from: string | null;
  /** The first id that belongs to a later partition; null: it takes what no other one takes. */
  until: string | null;
}

/** $1: table. Its partitions, oldest first. */
export const PARTITIONS = `
  SELECT relname AS name, substring(pg_get_expr(relpartbound, oid) FROM 'FROM \\(''([^'']+)''\\)') AS from,
    substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''([^'']+)''\\)') AS until
  FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = $1::regclass ORDER BY until NULLS LAST`;

/**
 * How long statements wait behind one that waits for a lock, in milliseconds: a request must not notice. Where the lock is not
 * free, for instance during a backup, it is tried again later.
 */
export const LIMIT_LOCK = `SET LOCAL lock_timeout = 40`;
export const LOCK_NOT_AVAILABLE = '55P03';

/** A partition to come is filled in apart, so that the lock of the others is held for a moment. Its indexes come with it. */
export function createPartition(table: PartitionedTable, name: string, from: string, until: string): string[] {
  return [
    `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING STORAGE) WITH (${OFTEN}${STORAGE[table] ?? ''})`,
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${until}')`,
  ];
}

/** Whether rows of a time were stored elsewhere before its partition was there: then they stay there. */
export function hasRowsElsewhere(table: PartitionedTable, other: string, from: string, until: string): string {
  const key = PARTITION_KEYS[table];
  return `SELECT 1 FROM ${other} WHERE ${key} >= '${from}' AND ${key} < '${until}' LIMIT 1`;
}

/**
 * PostgreSQL reads all of `other` while it attaches a partition, and no request can use it meanwhile. This many bytes take
 * milliseconds. With a bound that holds, PostgreSQL does not read it.
 */
const FEW_BYTES = 1 << 20;
export const isSmall = (other: string): string => `SELECT 1 WHERE pg_relation_size('${other}') <= ${FEW_BYTES}`;

/** From now on `other` refuses rows of a time. Whether it has some is not looked at yet. */
export function addBound(table: PartitionedTable, other: string, from: string, until: string): string {
  const key = PARTITION_KEYS[table];
  return `ALTER TABLE ${other} ADD CONSTRAINT ${other}_bound CHECK (${key} < '${from}' OR ${key} >= '${until}') NOT VALID`;
}

/** Reads all of `other` while requests go on. */
export const validateBound = (other: string): string => `ALTER TABLE ${other} VALIDATE CONSTRAINT ${other}_bound`;
export const hasValidBound = (other: string): string =>
  `SELECT 1 FROM pg_constraint WHERE conrelid = '${other}'::regclass AND conname = '${other}_bound' AND convalidated`;
export const dropBound = (other: string): string => `ALTER TABLE ${other} DROP CONSTRAINT IF EXISTS ${other}_bound`;

/** Waits for transactions that still delete rows of it. */
export const lockPartition = (name: string): string => `LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE`;
export const dropPartition = (name: string): string => `DROP TABLE ${name}`;
