export const SCOPES = [
  'read:status',
  'read:conversations',
  'read:messages',
  'write:messages',
  'admin:settings',
  'admin:users',
  '*',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes are literal: none implies another, only `*` covers all. */
export function hasScope(held: readonly string[], required: Scope): boolean {
  return held.includes(required) || held.includes('*');
}
