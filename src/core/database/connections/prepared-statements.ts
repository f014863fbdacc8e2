import type { QueryConfig } from 'pg';

/**
 * Whether statements are prepared under names (DATABASE_PREPARED). Behind PgBouncer before 1.21 in transaction mode they
 * must not be: it gives each transaction any of its connections to the server, and a name belongs to one connection.
 */
export class PreparedStatements {
  constructor(readonly enabled: boolean) {}

  /**
   * @returns the query for pg. Without a name, PostgreSQL parses and plans the statement each time. The query inherits from the
   * statement, because pg copies own properties slowly.
   */
  query(prepared: Readonly<Pick<QueryConfig, 'name' | 'text' | 'types'>>): QueryConfig {
    return Object.create(prepared, this.enabled ? {} : { name: { value: '' } }) as QueryConfig;
  }
}
