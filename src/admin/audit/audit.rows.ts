import { sanitizeText, type Environment } from '#contracts';
import { statement } from '../../core/database/database.service';

/** A row of `audit_log` as it is written. */
export interface AuditRow {
  id: string;
  environment: Environment | null;
  api_key_id: string | null;
  masked_key: string | null;
  method: string;
  path: string;
  route: string | null;
  client_ip: string;
  status: number;
  request_id: string;
  duration_ms: number;
  created_at: string;
  /** How many requests share the row; 1 if undefined. */
  count?: number;
  last_at?: string;
}

/** Longest path stored, in characters. */
export const LONGEST_PATH = 256;

/** A path as the audit log stores it. Masking a key removes percent-encoding, so the path may hold any character. */
export function auditedPath(path: string): string {
  return sanitizeText(path, LONGEST_PATH);
}

const INSERT = `INSERT INTO audit_log AS entry (id, environment, api_key_id, masked_key, method, path, route, client_ip, status,
     request_id, duration_ms, created_at, count, last_at)
   SELECT id, environment, api_key_id, masked_key, method, path, route, client_ip, status, request_id, duration_ms, created_at,
     coalesce(count, 1), last_at
   FROM json_to_recordset($1::json) AS a(id uuid, environment environment, api_key_id uuid, masked_key text, method text,
     path text, route text, client_ip text, status integer, request_id uuid, duration_ms double precision,
     created_at timestamptz, count integer, last_at timestamptz)`;

/** For rows that were never written. `ON CONFLICT` would add a second WAL record for each row. */
export const INSERT_NEW_AUDIT = statement('audit-insert-new', INSERT);

/**
 * For rows that may exist already: the outcome of an earlier write is unknown, or the row is shared and is written
 * again with its new count.
 */
export const INSERT_AUDIT = statement(
  'audit-insert',
  `${INSERT}
   ON CONFLICT (id) DO UPDATE SET count = excluded.count, last_at = excluded.last_at WHERE entry.count < excluded.count`,
);
