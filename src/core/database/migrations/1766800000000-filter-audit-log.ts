import type { MigrationInterface, QueryRunner } from 'typeorm';

const FACET = `concat(CASE WHEN grouping(api_key_id) = 0 THEN api_key_id END, '|', CASE WHEN grouping(status) = 0 THEN status END,
            '|', CASE WHEN grouping(route) = 0 THEN route END`;
const HAS_VALUES = `NOT (grouping(api_key_id) = 0 AND api_key_id IS NULL) AND NOT (grouping(route) = 0 AND route IS NULL)`;

/** The trigger's function. @param cube what the totals are grouped by @param rest of their name */
const counting = (cube: string, rest = '') => `
      CREATE OR REPLACE FUNCTION count_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_counts AS counted (owner, facet, hour, count)
        SELECT coalesce(environment::text, ''), ${FACET}${rest}),
          hour, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM (SELECT environment, api_key_id, status, route, method, date_trunc('hour', created_at, 'UTC') AS hour
          FROM changed) entry
        GROUP BY environment, hour, CUBE (${cube})
        HAVING ${HAS_VALUES}
        ORDER BY 1, 2, 3
        ON CONFLICT (owner, facet, hour) DO UPDATE SET count = counted.count + excluded.count;
        RETURN NULL;
      END $$;`;

/** The audit log is filtered by method and request. Totals without a method keep their names: an earlier version reads them. */
export class FilterAuditLog1766800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- No entry comes or goes until the end of the transaction.
      LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE;
      ${counting('api_key_id, status, route, method', `, CASE WHEN grouping(method) = 0 THEN '|' || method END`)}
      INSERT INTO audit_counts (owner, facet, hour, count)
      SELECT coalesce(environment::text, ''), ${FACET}, '|', method), hour, count(*)
      FROM (SELECT environment, api_key_id, status, route, method, date_trunc('hour', created_at, 'UTC') AS hour
        FROM audit_log) entry
      GROUP BY environment, hour, method, CUBE (api_key_id, status, route)
      HAVING ${HAS_VALUES};

      CREATE INDEX audit_log_method ON audit_log (environment, method, created_at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE;
      DROP INDEX audit_log_method;
      ${counting('api_key_id, status, route')}
      DELETE FROM audit_counts WHERE facet LIKE '%|%|%|%';
    `);
  }
}
