import type { CreatedApiKey } from '#client';
import type { Scope } from '../../session/session';

/** Scope → a path that it may read. */
const READABLE: readonly (readonly [Scope, string])[] = [
  ['read:status', '/status'],
  ['read:conversations', '/conversations'],
  ['read:messages', '/messages'],
  ['admin:settings', '/admin/settings'],
  ['admin:users', '/admin/api-keys'],
];
const EXAMPLE = { platform: 'telegram', recipient: '48213907', message: 'Hello' };

/** A curl command that the new key may run: a read if its scopes allow one, else a send to an example recipient. */
export function tryCommand({ key, scopes }: Pick<CreatedApiKey, 'key' | 'scopes'>, origin: string): string {
  const path = READABLE.find(([scope]) => scopes.includes('*') || scopes.includes(scope))?.[1];
  const authorization = `-H 'Authorization: Bearer ${key}'`;
  if (path !== undefined) return `curl -s ${origin}/api/v1${path} ${authorization}`;
  const body = `-H 'Content-Type: application/json' -d '${JSON.stringify(EXAMPLE)}'`;
  return `curl -s ${origin}/api/v1/messages/send ${authorization} ${body}`;
}
