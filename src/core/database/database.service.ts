import { hash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { CustomTypesConfig, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { repeat } from '../clock/repeat';
import { BusyConnections } from './connections/busy-connections';
import { Executions } from './connections/executions';
import { type GatewayPool, poolOf } from './connections/gateway-pool';
import { PreparedStatements } from './connections/prepared-statements';
import { DatabaseUnavailableError, Outage } from './outage.service';

/** No statement may take this long on the server, in milliseconds: past it, the server or the connection hangs. */
const TIMEOUT_MS = 20_000;
const CHECK_MS = 1_000;
/** Test work waits this long for a connection, in milliseconds: as long as live work waits in the pool. */
const TEST_WAIT_MS = 5_000;

/** A prepared statement: PostgreSQL parses and plans it once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Parsers of its columns, where they differ from the default ones. */
  readonly types?: CustomTypesConfig;
}

/** @param name unique in the whole program; empty if PostgreSQL parses and plans it anew each time */
export function statement(name: string, text: string): Statement {
  return { name, text };
}

/** A statement composed of parts. Its name is a hash of its text, because PostgreSQL limits names to 63 bytes. */
export function composedStatement(prefix: string, text: string): Statement {
  return { name: `${prefix}-${hash('sha1', text, 'base64url')}`, text };
}

/** Runs a statement in a transaction of TypeORM. */
export async function queryIn<Row extends QueryResultRow>(
  { queryRunner }: EntityManager,
  { text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  const { records } = await queryRunner!.query(text, values, true);
  return records as Row[];
}

/**
 * A column that keeps the commit of its statement from waiting for the disk. Use it where a crash of PostgreSQL may undo the
 * statement, because it will be done again or is accounted for elsewhere. Report nothing outside before a later synchronous
 * commit: the log is written in order, so that commit flushes this one too.
 */
export const COMMIT_WITHOUT_WAITING = `set_config('synchronous_commit', 'off', true)`;

/**
 * The hot paths' way to the database: prepared statements on TypeORM's own pool (TypeORM never names its statements,
 * so each would be parsed and planned again). During an outage it refuses every statement at once. It breaks the connection
 * of a statement that takes too long: pg's own timeout per statement would retain the statement in memory (ADR 29).
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  private readonly busy: BusyConnections;
  private readonly endCuts: () => void;

  constructor(
    private readonly dataSource: DataSource,
    outage: Outage,
    private readonly prepared: PreparedStatements,
  ) {
    const { pool } = this;
    pool.refuseDuring(outage);
    this.busy = new BusyConnections(pool);
    const cutSlow = () => {
      this.busy.cut(TIMEOUT_MS);
      pool.tests.refuse(new Error('timeout exceeded when a test request waited for a connection'), TEST_WAIT_MS);
    };
    this.endCuts = repeat(CHECK_MS, cutSlow);
    const begins = () => {
      this.busy.cut();
      pool.tests.refuse(new DatabaseUnavailableError());
    };
    outage.watch({ begins });
  }

  onApplicationShutdown(): void {
    this.endCuts();
  }

  /** @throws DatabaseUnavailableError during an outage */
  async query<Row extends QueryResultRow>(prepared: Statement, values: unknown[], client?: PoolClient): Promise<Row[]> {
    const asked = this.prepared.query(prepared);
    const result = await (client ? this.ask<Row>(client, asked, values) : this.pool.query<Row>(asked, values));
    return result.rows;
  }

  /**
   * Runs a statement for each set of values, in their order, in one round trip and one transaction: that of `client`, if there is one.
   * @returns the rows of each
   * @throws DatabaseUnavailableError during an outage
   */
  async together<Row extends QueryResultRow>(
    prepared: Statement,
    sets: readonly unknown[][],
    client?: PoolClient,
  ): Promise<Row[][]> {
    if (sets.length === 0) return [];
    if (sets.length === 1) return [await this.query<Row>(prepared, sets[0]!, client)];
    // Pools and clients accept pg's `Submittable`, which their types omit.
    const executions = new Executions(this.prepared.query(prepared), sets) as unknown as QueryConfig;
    const results = await (client ? this.submit(client, executions) : this.pool.query(executions));
    // `Executions` resolves with a result for each set.
    return (results as unknown as QueryResult<Row>[]).map(({ rows }) => rows);
  }

  /**
   * Commits when `work` resolves, rolls back when it rejects.
   * @throws DatabaseUnavailableError during an outage
   */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await this.ask(client, { text: 'BEGIN' });
      const result = await work(client);
      await this.ask(client, { text: 'COMMIT' });
      client.release();
      return result;
    } catch (error) {
      const broken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      );
      client.release(broken);
      throw error;
    }
  }

  private ask<Row extends QueryResultRow>(
    client: PoolClient,
    asked: QueryConfig,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    this.busy.ask(client);
    return client.query<Row>(asked, values as unknown[]);
  }

  /** pg returns a promise only for a query that it makes itself: this one needs a callback. */
  private submit(client: PoolClient, executions: QueryConfig): Promise<QueryResult> {
    this.busy.ask(client);
    return new Promise((resolve, reject) => {
      client.query(executions, (error: Error | null, result) => (error ? reject(error) : resolve(result)));
    });
  }

  private get pool(): GatewayPool {
    return poolOf(this.dataSource);
  }
}
