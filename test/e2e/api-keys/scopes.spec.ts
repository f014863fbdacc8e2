import { SCOPES, type Scope } from '#contracts';
import { callApi } from '../../support/api';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

/** The scopes of the specification, any of which will do; a refusal names the first. */
const REQUIRED: Readonly<Record<string, readonly Scope[]>> = {
  'GET /status': ['read:status'],
  'GET /usage/platforms': ['read:status'],
  'GET /usage/ai': ['read:status'],
  'GET /ai/status': ['read:status'],
  'POST /ai/generate': ['write:messages'],
  'POST /ai/preview': ['admin:settings'],
  'GET /ai/providers': ['admin:settings'],
  'PUT /ai/providers/{name}': ['admin:settings'],
  'DELETE /ai/providers/{name}': ['admin:settings'],
  'GET /ai/providers/{name}/models': ['admin:settings'],
  'GET /events/{event_id}': ['read:messages', 'read:status', 'read:conversations'],
  'POST /messages/send': ['write:messages'],
  'GET /messages': ['read:messages'],
  'DELETE /messages/{message_id}': ['write:messages'],
  'DELETE /conversations/{conversation_id}': ['admin:users'],
  'GET /messages/{message_id}': ['read:messages'],
  'GET /messages/{message_id}/timeline': ['read:messages'],
  'POST /media': ['write:messages'],
  'GET /attachments/{attachment_id}': ['read:messages'],
  'GET /attachments/{attachment_id}/content': ['read:messages'],
  'GET /templates': ['read:messages'],
  'POST /templates/sync': ['admin:settings'],
  'GET /conversations': ['read:conversations'],
  'GET /conversations/{conversation_id}': ['read:conversations'],
  'POST /conversations/{conversation_id}/handover': ['write:messages'],
  'GET /conversations/{conversation_id}/handovers': ['read:conversations'],
  'POST /conversations/{conversation_id}/answer': ['write:messages'],
  'POST /conversations/{conversation_id}/resume': ['write:messages'],
  'PATCH /conversations/{conversation_id}': ['write:messages'],
  'POST /conversations/{conversation_id}/clear': ['write:messages'],
  'GET /integrations': ['read:status'],
  'POST /integrations': ['admin:settings'],
  'PATCH /integrations/{account_id}': ['admin:settings'],
  'DELETE /integrations/{account_id}': ['admin:settings'],
  'POST /integrations/{platform}/reconnect': ['admin:settings'],
  'GET /admin/settings': ['admin:settings'],
  'PATCH /admin/settings': ['admin:settings'],
  'GET /admin/stats': ['admin:settings'],
  'GET /admin/audit-log': ['admin:settings'],
  'GET /admin/api-keys': ['admin:users', 'admin:settings'],
  'GET /admin/api-keys/{key_id}': ['admin:users', 'admin:settings'],
  'GET /admin/api-keys/{key_id}/usage': ['admin:users', 'admin:settings'],
  'POST /admin/api-keys': ['admin:users', 'admin:settings'],
  'PATCH /admin/api-keys/{key_id}': ['admin:users', 'admin:settings'],
  'POST /admin/api-keys/{key_id}/roll': ['admin:users', 'admin:settings'],
  'DELETE /admin/api-keys/{key_id}': ['admin:users', 'admin:settings'],
  'GET /problems': ['read:status'],
  'POST /problems/{problem_id}/dismiss': ['admin:settings'],
  'POST /sandbox/inbound': ['write:messages'],
};

/** Payloads of webhooks carry message text: everything about them is an administrator's. */
function requiredScopes(operation: string): readonly Scope[] | undefined {
  return / \/(webhooks|tools|deliveries|event-types|admin\/backups)\b/.test(operation)
    ? ['admin:settings']
    : REQUIRED[operation];
}

/** Without a key, or a stream that does not end: specs of their own show who may. */
const APART = new Set(['POST /dashboard/exchange', 'GET /events/stream']);

describe('Scopes', () => {
  const gateway = useGateway();
  let operations: string[];
  const keys = new Map<Scope, string>();

  beforeAll(async () => {
    const document = await callApi(gateway.url, 'GET', '/docs-json');
    const { paths } = document.body as unknown as { paths: Record<string, object> };
    operations = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice('/api/v1'.length)}`),
      )
      .filter((operation) => !APART.has(operation));
    for (const scope of SCOPES) keys.set(scope, await gateway.createKey({ environment: 'test', scopes: [scope] }));
  });

  const call = (operation: string, key: string) => {
    const [method, path] = operation.split(' ') as [string, string];
    // Names nothing: where the scope suffices, the answer comes from validation or from looking for it.
    const target = path.replaceAll(/\{\w+\}/g, 'nothing');
    return gateway.api(method, target, method === 'GET' || method === 'DELETE' ? undefined : { nothing: 1 }, { key });
  };

  it('are declared for every operation of the specification', () => {
    expect(operations).toEqual(expect.arrayContaining(Object.keys(REQUIRED)));
    expect(operations.filter((operation) => requiredScopes(operation) === undefined)).toEqual([]);
  });

  it.each(SCOPES)('%s opens exactly the operations that need it', async (scope) => {
    const opens = (operation: string) => scope === '*' || requiredScopes(operation)!.includes(scope);
    for (const operation of operations.filter((each) => !opens(each))) {
      const refusal = expectedError('INSUFFICIENT_PERMISSIONS', {
        required_scope: requiredScopes(operation)![0]!,
        key_scopes: [scope],
      });
      expect({ operation, ...(await call(operation, keys.get(scope)!)) }).toMatchObject({ operation, ...refusal });
    }
    for (const operation of operations.filter(opens)) {
      const { status } = await call(operation, keys.get(scope)!);
      expect([200, 400, 404]).toContain(status);
    }
  });

  it('are checked before validation and existence', async () => {
    const answer = await gateway.api('POST', '/messages/send', '{"broken', { key: keys.get('read:messages') });
    expect(answer.status).toBe(403);
  });
});
