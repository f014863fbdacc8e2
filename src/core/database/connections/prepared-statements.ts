import type { QueryConfig } from 'pg';

/**
 * Whether connections know statements by their names (DATABASE_PREPARED). Behind PgBouncer before 1.21 in transaction mode
 * they must not: it gives each transaction any of its connections to the server, and a name belongs to one of them.
 */
export class PreparedStatements {
  constructor(readonly enabled: boolean) {}

  /**
   * @returns what pg is asked; without a name, PostgreSQL parses and plans the statement each time. It inherits from the
   * statement: pg copies each own property of what it is asked by its descriptor, which takes longer than the rest of making
   * its query.
   */
  query(prepared: Readonly<Pick<QueryConfig, 'name' | 'text' | 'types'>>): QueryConfig {
    return Object.create(prepared, this.enabled ? {} : { name: { value: '' } }) as QueryConfig;
  }
}
