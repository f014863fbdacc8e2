import { Query, type Connection, type QueryConfig } from 'pg';

/** Fields of pg's queries that its declarations omit. */
interface Asking {
  values: unknown[];
  /** Writes what asks for one execution: it ends with a `Sync`. */
  prepare(connection: Connection): void;
}

/** pg's types omit this constructor. */
const AskingQuery = Query as unknown as new (config: QueryConfig & { queryMode: 'extended' }) => Query & Asking;

/**
 * One statement for several sets of values, in one round trip and one transaction: all executions take effect, or none. The
 * server takes what comes before a `Sync` for one transaction
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). Its result is an array of those of the
 * executions where there are several.
 */
export class Executions extends AskingQuery {
  constructor(
    { name, text, types }: QueryConfig,
    private readonly sets: readonly unknown[][],
  ) {
    super({ name, text, types, queryMode: 'extended' });
  }

  override prepare(connection: Connection): void {
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
    for (const values of this.sets) {
      this.values = values;
      super.prepare(withoutSync);
    }
    connection.sync();
  }
}
