export const COLUMNS = `
  SELECT table_name AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(quote_ident(table_name)))
  GROUP BY table_name ORDER BY table_name`;

/** Size on disk in bytes, known without reading the table. A partitioned table has the sum of its partitions. */
export const SIZES = `
  SELECT name, pg_table_size(quote_ident(name)::regclass)::float8
    + (SELECT coalesce(sum(pg_table_size(inhrelid)), 0) FROM pg_inherits WHERE inhparent = quote_ident(name)::regclass)::float8 AS size
  FROM unnest($1::text[]) name`;

/**
 * The primary keys of partitioned tables, to sort their rows: stored order depends on the partitions, and the restored
 * database may have other partitions.
 */
export const ORDERS = `
  SELECT relname AS name, array_agg(attname::text ORDER BY array_position(indkey::int2[], attnum)) AS columns
  FROM pg_class JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum = ANY (indkey)
  WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace GROUP BY relname`;

export const FINGERPRINTS = `
  SELECT regexp_replace(name, ' fingerprint$', '') AS name, value FROM deployment WHERE name LIKE '% fingerprint'`;

export const REFERENCES = `
  SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
  WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`;

/** Ignores views: many servers have those of pg_stat_statements in each database, and they hold no data. */
export const TABLES = `
  SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' LIMIT 1`;

export const EMPTY_TABLES = `
  DO $$
  BEGIN
    EXECUTE (
      SELECT 'TRUNCATE ' || string_agg(quote_ident(table_name), ', ') FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT IN ('migrations', 'applied_migrations')
    );
  END $$`;

/** Sets each sequence of a numbered column to the highest restored number. */
export const CONTINUE_NUMBERS = `
  DO $$
  DECLARE numbered record;
  BEGIN
    FOR numbered IN
      SELECT table_name, column_name, pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
      FROM information_schema.columns
      WHERE table_schema = current_schema() AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL
    LOOP
      EXECUTE format('SELECT setval(%L, max(%I)) FROM %I HAVING count(*) > 0',
        numbered.sequence, numbered.column_name, numbered.table_name);
    END LOOP;
  END $$`;
