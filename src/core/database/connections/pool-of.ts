import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The pool that TypeORM's query runners and `Database` share. TypeORM's types omit it. */
export function poolOf(dataSource: DataSource): Pool {
  // The driver of PostgreSQL has this field; the type is that of any driver.
  return (dataSource.driver as unknown as { master: Pool }).master;
}
