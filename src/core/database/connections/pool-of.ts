import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The pool that TypeORM's query runners, and statements without them, share. TypeORM does not declare it. */
export function poolOf(dataSource: DataSource): Pool {
  // The field is the driver's of PostgreSQL; the declaration is that of any driver.
  return (dataSource.driver as unknown as { master: Pool }).master;
}
