import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The totals of the unfiltered audit log side by side: in the table, each hour's is on a page of its own. */
export class IndexAuditTotals1764310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX audit_counts_unfiltered ON audit_counts (owner, hour) INCLUDE (count) WHERE facet = '||'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_counts_unfiltered');
  }
}
