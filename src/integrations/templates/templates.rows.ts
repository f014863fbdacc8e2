import { statement } from '../../core/database/database.service';

/** $1: all templates of an account as JSON, $2: when they were requested, $3: account. A list older than the stored one changes nothing. */
export const STORE_TEMPLATES = statement(
  'templates-store',
  `WITH given AS (
     SELECT DISTINCT ON (name, language) * FROM json_to_recordset($1::json) AS t(
       id text, name text, language text, category text, status text, "parameterFormat" text, components jsonb)
   ),
   gone AS (
     DELETE FROM message_templates m WHERE account = $3::text AND synced_at < $2::timestamptz
       AND NOT EXISTS (SELECT FROM given g WHERE g.name = m.name AND g.language = m.language)
   )
   INSERT INTO message_templates AS m (account, name, language, id, category, status, parameter_format, components, synced_at)
   SELECT $3, name, language, id, category, status, "parameterFormat", components, $2 FROM given
   ON CONFLICT (account, name, language) DO UPDATE SET id = excluded.id, category = excluded.category, status = excluded.status,
     parameter_format = excluded.parameter_format, components = excluded.components, synced_at = excluded.synced_at
     WHERE m.synced_at <= excluded.synced_at`,
);
