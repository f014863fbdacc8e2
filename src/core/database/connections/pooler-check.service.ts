import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from './pool-of';
import { PreparedStatements } from './prepared-statements';

/** invalid_sql_statement_name, duplicate_prepared_statement. */
const UNKNOWN_OR_TWICE = /^(26000|42P05)$/;
const CHECK = { name: 'pooler-check', text: 'SELECT 1' };

/**
 * Stops the start where a pooler in transaction mode mixes up the prepared statements of its clients: requests would fail
 * later, one here and one there. A busy pooler may pass: which connection it gives to whom is its own choice.
 */
@Injectable()
export class PoolerCheck implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly prepared: PreparedStatements,
  ) {}

  /** @throws Error that says what to set */
  async onModuleInit(): Promise<void> {
    if (!this.prepared.enabled) return;
    try {
      await this.prepareTwice();
    } catch (error) {
      if (!(error instanceof DatabaseError) || !UNKNOWN_OR_TWICE.test(error.code ?? '')) throw error;
      throw new Error(
        'The pooler at DATABASE_URL does not know prepared statements: set DATABASE_PREPARED=false, or use PgBouncer 1.21 or newer with max_prepared_statements above 0',
        { cause: error },
      );
    }
  }

  /** The transaction takes the connection to the server that the first statement left, so the third one gets another. */
  private async prepareTwice(): Promise<void> {
    const pool = poolOf(this.dataSource);
    const first = await pool.connect();
    const second = await pool.connect().catch((error: unknown) => {
      first.release(true);
      throw error;
    });
    try {
      await first.query(CHECK);
      await second.query('BEGIN');
      await second.query(CHECK);
      await first.query(CHECK);
      await second.query('COMMIT');
    } finally {
      first.release(true);
      second.release(true);
    }
  }
}
