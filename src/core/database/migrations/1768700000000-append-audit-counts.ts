import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The name of a total. A filter without a value in it counts all values. */
const FACET = `concat(CASE WHEN grouping(api_key_id) = 0 THEN api_key_id END, '|', CASE WHEN grouping(status) = 0 THEN status END,
        '|', CASE WHEN grouping(route) = 0 THEN route END, CASE WHEN grouping(method) = 0 THEN '|' || method END)`;
const CUBE = 'CUBE (api_key_id, status, route, method)';
const HAS_VALUES = `NOT (grouping(api_key_id) = 0 AND api_key_id IS NULL) AND NOT (grouping(route) = 0 AND route IS NULL)`;

/**
 * An insert or a deletion of entries appends one row for each combination of values; a job adds these rows to the totals later.
 * With hundreds of keys, updating the totals of all combinations of filters was most of what an insert wrote. The version
 * before reads the totals as they are at the moment, under their old name.
 */
export class AppendAuditCounts1768700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- No entry comes or goes until the end of the transaction. Lists read audit_counts first: they are not in the way.
      LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE;
      ALTER TABLE audit_counts RENAME TO audit_log_counts;
      ALTER INDEX audit_counts_pkey RENAME TO audit_log_counts_pkey;
      ALTER INDEX audit_counts_unfiltered RENAME TO audit_log_counts_unfiltered;

      CREATE TABLE audit_log_count_changes (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        owner      text NOT NULL,
        api_key_id uuid,
        status     integer NOT NULL,
        route      text,
        method     text NOT NULL,
        hour       timestamptz(3) NOT NULL,
        change     integer NOT NULL
      );
      CREATE OR REPLACE FUNCTION count_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_log_count_changes (owner, api_key_id, status, route, method, hour, change)
        SELECT coalesce(environment::text, ''), api_key_id, status, route, method, date_trunc('hour', created_at, 'UTC'),
          CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM changed GROUP BY 1, 2, 3, 4, 5, 6;
        RETURN NULL;
      END $$;

      CREATE VIEW audit_counts AS
        SELECT owner, facet, hour, count FROM audit_log_counts
        UNION ALL
        SELECT owner, ${FACET}, hour, sum(change)::bigint FROM audit_log_count_changes
        GROUP BY owner, hour, ${CUBE} HAVING ${HAS_VALUES};
      -- The version before deletes totals of nothing, and of partitions that it drops.
      CREATE FUNCTION forget_audit_count() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM audit_log_counts WHERE owner = old.owner AND facet = old.facet AND hour = old.hour AND count = old.count;
        RETURN old;
      END $$;
      CREATE TRIGGER forget_audit_count INSTEAD OF DELETE ON audit_counts FOR EACH ROW EXECUTE FUNCTION forget_audit_count();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE;
      INSERT INTO audit_log_counts AS counted (owner, facet, hour, count)
      SELECT owner, ${FACET}, hour, sum(change) FROM audit_log_count_changes
      GROUP BY owner, hour, ${CUBE} HAVING ${HAS_VALUES}
      ON CONFLICT (owner, facet, hour) DO UPDATE SET count = counted.count + excluded.count;
      DROP VIEW audit_counts;
      DROP FUNCTION forget_audit_count();
      DROP TABLE audit_log_count_changes;
      ALTER TABLE audit_log_counts RENAME TO audit_counts;
      ALTER INDEX audit_log_counts_pkey RENAME TO audit_counts_pkey;
      ALTER INDEX audit_log_counts_unfiltered RENAME TO audit_counts_unfiltered;
      CREATE OR REPLACE FUNCTION count_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_counts AS counted (owner, facet, hour, count)
        SELECT coalesce(environment::text, ''), ${FACET},
          hour, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM (SELECT environment, api_key_id, status, route, method, date_trunc('hour', created_at, 'UTC') AS hour
          FROM changed) entry
        GROUP BY environment, hour, ${CUBE}
        HAVING ${HAS_VALUES}
        ORDER BY 1, 2, 3
        ON CONFLICT (owner, facet, hour) DO UPDATE SET count = counted.count + excluded.count;
        RETURN NULL;
      END $$;
    `);
  }
}
