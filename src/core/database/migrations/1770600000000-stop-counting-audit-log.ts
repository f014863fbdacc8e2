import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each request paid for exact totals of the audit log; lists now count up to 10,000 entries. The tables of the totals stay for
 * the version before, whose lists find no newer entries; the next version drops them.
 */
export class StopCountingAuditLog1770600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER audit_log_inserted ON audit_log;
      DROP TRIGGER audit_log_deleted ON audit_log;
      DROP FUNCTION count_audit_log();
      DROP VIEW audit_counts;
      DROP FUNCTION forget_audit_count();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE;
      CREATE FUNCTION count_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_log_count_changes (owner, api_key_id, status, route, method, hour, change)
        SELECT coalesce(environment::text, ''), api_key_id, status, route, method, date_trunc('hour', created_at, 'UTC'),
          CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM changed GROUP BY 1, 2, 3, 4, 5, 6;
        RETURN NULL;
      END $$;
      CREATE TRIGGER audit_log_inserted AFTER INSERT ON audit_log REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_audit_log();
      CREATE TRIGGER audit_log_deleted AFTER DELETE ON audit_log REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_audit_log();
      TRUNCATE audit_log_counts, audit_log_count_changes;
      INSERT INTO audit_log_count_changes (owner, api_key_id, status, route, method, hour, change)
      SELECT coalesce(environment::text, ''), api_key_id, status, route, method, date_trunc('hour', created_at, 'UTC'), count(*)
      FROM audit_log GROUP BY 1, 2, 3, 4, 5, 6;

      CREATE VIEW audit_counts AS
        SELECT owner, facet, hour, count FROM audit_log_counts
        UNION ALL
        SELECT owner, concat(CASE WHEN grouping(api_key_id) = 0 THEN api_key_id END, '|',
            CASE WHEN grouping(status) = 0 THEN status END, '|', CASE WHEN grouping(route) = 0 THEN route END,
            CASE WHEN grouping(method) = 0 THEN '|' || method END), hour, sum(change)::bigint
        FROM audit_log_count_changes GROUP BY owner, hour, CUBE (api_key_id, status, route, method)
        HAVING NOT (grouping(api_key_id) = 0 AND api_key_id IS NULL) AND NOT (grouping(route) = 0 AND route IS NULL);
      CREATE FUNCTION forget_audit_count() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM audit_log_counts WHERE owner = old.owner AND facet = old.facet AND hour = old.hour AND count = old.count;
        RETURN old;
      END $$;
      CREATE TRIGGER forget_audit_count INSTEAD OF DELETE ON audit_counts FOR EACH ROW EXECUTE FUNCTION forget_audit_count();
    `);
  }
}
