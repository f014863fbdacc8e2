import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The pool that TypeORM's query runners, and statements without them, share. TypeORM does not declare it. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}
