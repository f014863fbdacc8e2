/** The tables that are partitioned by the time in their ids, and the column of the id. */
export const PARTITION_KEYS = {
  audit_log: 'id',
  events: 'id',
  tool_calls: 'id',
  webhook_deliveries: 'id',
  webhook_dispatches: 'event_id',
} as const;
export type PartitionedTable = keyof typeof PARTITION_KEYS;

/** PostgreSQL vacuums a partition often and briefly; a migration sets the same for the first partitions. */
const OFTEN = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02`;
/** Further settings of a table's partitions. */
const STORAGE: Partial<Record<PartitionedTable, string>> = { webhook_dispatches: ', fillfactor = 80' };

export interface PartitionRow {
  name: string;
  /** The first id of the partition; null: it has no lower bound, or it is the default partition. */
  from: string | null;
  /** The first id of a later partition; null: it is the default partition. */
  until: string | null;
}

/** $1: table. Its partitions, oldest first. */
export const PARTITIONS = `
  SELECT relname AS name, substring(pg_get_expr(relpartbound, oid) FROM 'FROM \\(''([^'']+)''\\)') AS from,
    substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''([^'']+)''\\)') AS until
  FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = $1::regclass ORDER BY until NULLS LAST`;

/**
 * How long a statement may wait for its lock, in milliseconds: requests queue behind it and must not notice. If the lock is
 * not free, for instance during a backup, it is tried again later.
 */
export const LIMIT_LOCK = `SET LOCAL lock_timeout = 40`;
export const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Makes a future partition as a separate table and then attaches it, so that the lock of the others is held only briefly.
 * Its indexes are made when it is attached.
 */
export function createPartition(table: PartitionedTable, name: string, from: string, until: string): string[] {
  return [
    `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING STORAGE) WITH (${OFTEN}${STORAGE[table] ?? ''})`,
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${until}')`,
  ];
}

/** Whether rows of the period went to the default partition before the period had its own: then they stay there. */
export function hasRowsElsewhere(table: PartitionedTable, other: string, from: string, until: string): string {
  const key = PARTITION_KEYS[table];
  return `SELECT 1 FROM ${other} WHERE ${key} >= '${from}' AND ${key} < '${until}' LIMIT 1`;
}

/**
 * While it attaches a partition, PostgreSQL reads all of `other`, and no request can use it. This many bytes take
 * milliseconds. With a valid bound, PostgreSQL does not read it.
 */
const FEW_BYTES = 1 << 20;
export const isSmall = (other: string): string => `SELECT 1 WHERE pg_relation_size('${other}') <= ${FEW_BYTES}`;

/** From now on `other` refuses rows of the period. Its existing rows are not checked yet. */
export function addBound(table: PartitionedTable, other: string, from: string, until: string): string {
  const key = PARTITION_KEYS[table];
  return `ALTER TABLE ${other} ADD CONSTRAINT ${other}_bound CHECK (${key} < '${from}' OR ${key} >= '${until}') NOT VALID`;
}

/** Reads all of `other` while requests continue. */
export const validateBound = (other: string): string => `ALTER TABLE ${other} VALIDATE CONSTRAINT ${other}_bound`;
export const hasValidBound = (other: string): string =>
  `SELECT 1 FROM pg_constraint WHERE conrelid = '${other}'::regclass AND conname = '${other}_bound' AND convalidated`;
export const dropBound = (other: string): string => `ALTER TABLE ${other} DROP CONSTRAINT IF EXISTS ${other}_bound`;

/** Waits for transactions that still delete rows of the partition. */
export const lockPartition = (name: string): string => `LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE`;
export const dropPartition = (name: string): string => `DROP TABLE ${name}`;
