import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Totals of the audit log by hour, for each combination of the filters key, status and route. Triggers keep them exact. */
export class CountAuditLog1764001230000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Rows of the present hour are updated with every batch of entries: free space in each page keeps the updates in place.
      CREATE TABLE audit_counts (
        owner text NOT NULL,
        facet text NOT NULL,
        hour  timestamptz(3) NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (owner, facet, hour)
      ) WITH (fillfactor = 50);

      -- Sorted: instances that write at once lock the same rows in the same order.
      CREATE FUNCTION count_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_counts AS counted (owner, facet, hour, count)
        SELECT coalesce(environment::text, ''),
          concat(CASE WHEN grouping(api_key_id) = 0 THEN api_key_id END, '|', CASE WHEN grouping(status) = 0 THEN status END,
            '|', CASE WHEN grouping(route) = 0 THEN route END),
          hour, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM (SELECT environment, api_key_id, status, route, date_trunc('hour', created_at, 'UTC') AS hour FROM changed) entry
        GROUP BY environment, hour, CUBE (api_key_id, status, route)
        HAVING NOT (grouping(api_key_id) = 0 AND api_key_id IS NULL) AND NOT (grouping(route) = 0 AND route IS NULL)
        ORDER BY 1, 2, 3
        ON CONFLICT (owner, facet, hour) DO UPDATE SET count = counted.count + excluded.count;
        RETURN NULL;
      END $$;

      CREATE TRIGGER audit_log_inserted AFTER INSERT ON audit_log REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_audit_log();
      CREATE TRIGGER audit_log_deleted AFTER DELETE ON audit_log REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_audit_log();

      -- No entry comes or goes until the end of the transaction: the triggers have locked the table.
      INSERT INTO audit_counts (owner, facet, hour, count)
      SELECT coalesce(environment::text, ''),
        concat(CASE WHEN grouping(api_key_id) = 0 THEN api_key_id END, '|', CASE WHEN grouping(status) = 0 THEN status END,
          '|', CASE WHEN grouping(route) = 0 THEN route END),
        hour, count(*)
      FROM (SELECT environment, api_key_id, status, route, date_trunc('hour', created_at, 'UTC') AS hour FROM audit_log) entry
      GROUP BY environment, hour, CUBE (api_key_id, status, route)
      HAVING NOT (grouping(api_key_id) = 0 AND api_key_id IS NULL) AND NOT (grouping(route) = 0 AND route IS NULL);

      CREATE INDEX audit_log_status ON audit_log (environment, status, created_at, id) WHERE status <> 200;
      CREATE INDEX audit_log_route ON audit_log (environment, route, created_at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX audit_log_route;
      DROP INDEX audit_log_status;
      DROP TRIGGER audit_log_deleted ON audit_log;
      DROP TRIGGER audit_log_inserted ON audit_log;
      DROP FUNCTION count_audit_log();
      DROP TABLE audit_counts;
    `);
  }
}
