import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

/** How long statements wait behind the migration, in milliseconds, when it waits for a transaction that uses the table. */
const LOCK_MS = 100;
/** Then they go on for so long, in milliseconds. */
const PAUSE_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs statements that lock a table in one transaction, for a migration with `transaction = false`. If the lock is not free soon, it
 * lets the requests that wait behind it through and tries again, until it succeeds.
 */
export async function withBriefLock(runner: QueryRunner, ...statements: readonly string[]): Promise<void> {
  for (;;) {
    await runner.startTransaction();
    try {
      await runner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      for (const statement of statements) await runner.query(statement);
      await runner.commitTransaction();
      return;
    } catch (error) {
      await runner.rollbackTransaction();
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
