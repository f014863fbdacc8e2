import { Query, type Connection, type QueryConfig } from 'pg';

/** Fields of pg's queries that its declarations omit. */
interface Asking {
  values: unknown[];
  /** Sends the messages of one execution, with a `Sync` at the end. */
  prepare(connection: Connection): void;
}

/** pg's types omit this constructor. */
const AskingQuery = Query as unknown as new (config: QueryConfig & { queryMode: 'extended' }) => Query & Asking;

/**
 * One statement for several sets of values, in one round trip and one transaction: all executions take effect, or none. The
 * server runs all messages before a `Sync` in one transaction
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). With several executions, the result
 * is an array of their results.
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
