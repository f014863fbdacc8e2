import type { AuditEntry } from '#client';
import { AUDIT_ACTIONS } from './audit-actions';
import { sentenceOf } from './audit-sentence';

const KEY = 'key_01h455vb4pex5vsknk084sn02q';
const NAMES = new Map([[KEY, 'Shop system']]);
const entry = (change: Partial<AuditEntry>) =>
  sentenceOf(
    { method: 'GET', route: null, path: '/', status: 200, key_name: 'First live key', ...change } as AuditEntry,
    NAMES,
  );

describe(sentenceOf, () => {
  it('says who changed which key, and how', () => {
    const route = '/api/v1/admin/api-keys/:key_id';
    const path = `/api/v1/admin/api-keys/${KEY}`;
    expect(entry({ method: 'DELETE', route, path })).toBe('First live key revoked the key “Shop system”');
  });

  it('says why a request was refused', () => {
    const route = '/api/v1/admin/settings';
    expect(entry({ method: 'PATCH', route, path: route, status: 403 })).toBe(
      'First live key could not change the settings: not permitted',
    );
  });

  it('names no key if the credentials were invalid', () => {
    const route = '/api/v1/messages/send';
    expect(entry({ method: 'POST', route, path: route, status: 401, key_name: null })).toBe(
      'An unknown caller could not send a message: its API key is invalid, revoked or expired',
    );
  });

  it('names the route if it has no sentence of its own', () => {
    expect(entry({ route: '/api/v1/status', path: '/api/v1/status' })).toBe('First live key called GET /api/v1/status');
  });

  it('says who erased a conversation', () => {
    const route = '/api/v1/conversations/:conversation_id';
    expect(entry({ method: 'DELETE', route, path: route })).toBe('First live key erased a conversation');
  });

  it('has exactly one sentence for each action', () => {
    const routes = AUDIT_ACTIONS.map(({ method, route }) => `${method} ${route}`);
    expect(new Set(routes).size).toBe(routes.length);
  });
});
