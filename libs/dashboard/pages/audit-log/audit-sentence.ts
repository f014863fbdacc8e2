import type { AuditEntry } from '#client';
import { actionOf } from './audit-actions';

/** HTTP status → why the request was refused or failed. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'the request was invalid',
  401: 'its API key is invalid, revoked or expired',
  403: 'not permitted',
  404: 'not found',
  409: 'it conflicted with another request',
  413: 'the request was too large',
  422: 'it was not possible',
  429: 'a limit was reached',
  499: 'the client disconnected',
};

/** "First live key revoked the key “Shop system”". @param names key id → name */
export function sentenceOf(entry: AuditEntry, names: ReadonlyMap<string, string>): string {
  const { method, route, path, status, key_name } = entry;
  const who = key_name ?? 'An unknown caller';
  const action = actionOf(method, route);
  if (!action) return `${who} ${status < 400 ? 'called' : 'was refused at'} ${method} ${route ?? path}`;
  const object = objectOf(path, action.object, names);
  if (status < 400) return `${who} ${action.did} ${object}`;
  const reason = REFUSALS[status] ?? (status >= 500 ? 'the gateway failed' : `status ${status}`);
  return `${who} could not ${action.infinitive} ${object}: ${reason}`;
}

/** Keys appear by name. Other objects have only an id, so their kind is shown. */
function objectOf(path: string, object: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(/\/api-keys\/(?<id>key_\w+)/.exec(path)?.groups?.['id'] ?? '');
  return name === undefined ? object : `the key “${name}”`;
}
