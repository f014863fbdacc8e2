export const HAS_INDEX = `SELECT to_regclass('conversation_terms_anywhere') IS NOT NULL AS "isThere"`;

export const CREATE_TRIGRAMS = 'CREATE EXTENSION IF NOT EXISTS pg_trgm';

export const CREATE_INDEX =
  'CREATE INDEX IF NOT EXISTS conversation_terms_anywhere ON conversation_terms USING gin (term gin_trgm_ops)';
