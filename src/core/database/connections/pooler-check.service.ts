import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseError, type ClientBase } from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from './gateway-pool';
import { PreparedStatements } from './prepared-statements';

/** SQLSTATE invalid_sql_statement_name, duplicate_prepared_statement. */
const UNKNOWN_OR_TWICE = /^(26000|42P05)$/;
const CHECK = { name: 'pooler-check', text: 'SELECT 1' };

/**
 * Refuses to start behind a pooler in transaction mode that mixes up its clients' prepared statements: some requests would
 * fail later. A busy pooler may pass, because it chooses which connection each client gets.
 */
@Injectable()
export class PoolerCheck implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly prepared: PreparedStatements,
  ) {}

  /** @throws Error that names the variable to set */
  async onModuleInit(): Promise<void> {
    if (!this.prepared.enabled) return;
    const pool = poolOf(this.dataSource);
    const first = await pool.connect();
    const second = await pool.connect().catch((error: unknown) => {
      first.release(true);
      throw error;
    });
    try {
      if (await isolatesPreparedStatements(first, second)) return;
    } finally {
      first.release(true);
      second.release(true);
    }
    throw new Error(
      'The pooler at DATABASE_URL does not know prepared statements: set DATABASE_PREPARED=false, or use PgBouncer 1.21 or newer with max_prepared_statements above 0',
    );
  }
}

/**
 * Whether a statement that a client prepared is still there when the pooler gives it another connection to the server. The
 * transaction of the second client takes the connection that the first statement left, so the third statement gets another.
 */
export async function isolatesPreparedStatements(first: ClientBase, second: ClientBase): Promise<boolean> {
  try {
    await first.query(CHECK);
    await second.query('BEGIN');
    await second.query(CHECK);
    await first.query(CHECK);
    await second.query('COMMIT');
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && UNKNOWN_OR_TWICE.test(error.code ?? '')) return false;
    throw error;
  }
}
