import type { QueryConfig } from 'pg';

/**
 * Whether connections know statements by their names (DATABASE_PREPARED). Behind PgBouncer before 1.21 in transaction mode
 * they must not: it gives each transaction any of its connections to the server, and a name belongs to one of them.
 */
export class PreparedStatements {
  constructor(readonly enabled: boolean) {}

  /** @returns what pg is asked; without a name, PostgreSQL parses and plans the statement each time */
  query({ name, text, types }: Pick<QueryConfig, 'name' | 'text' | 'types'>, values: unknown[]): QueryConfig {
    return { name: this.enabled ? name : '', text, values, types };
  }
}
