import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fromPublicId } from '#contracts';
import { generateKey } from '../../../src/api-keys/key-format';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const gateway = useGateway();

interface Answered {
  status: number;
  requestId: string;
  limit?: string;
  body: unknown;
}

/** What is asked for goes out as it is: no client would write it so. */
async function get(target: string, key: string | null = gateway.testKey): Promise<Answered> {
  const { hostname, port } = new URL(gateway.url);
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const outgoing = request({ hostname, port, path: target, headers, agent: false }).end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  return {
    status: answer.statusCode!,
    requestId: answer.headers['x-request-id'] as string,
    limit: answer.headers['x-ratelimit-limit'] as string | undefined,
    body: JSON.parse(await text(answer)) as unknown,
  };
}

/** The rows of the audit log that tell of these requests, in the order of the requests. */
function audited(...answers: Answered[]): Promise<{ path: string; route: string | null; status: number }[]> {
  return eventually('the rows are written', async () => {
    const rows = await gateway.sql<{ path: string; route: string | null; status: number }>(
      'SELECT path, route, status FROM audit_log WHERE request_id = ANY($1::uuid[]) ORDER BY request_id',
      [answers.map(({ requestId }) => fromPublicId('request', requestId))],
    );
    expect(rows).toHaveLength(answers.length);
    return rows;
  });
}

describe('an id in the path', () => {
  it.each([
    ['%ZZ', '%ZZ'],
    ['%FF', '%FF'],
    ['%C3%28', '%C3%28'],
    ['%E0%A4%A', '%E0%A4%A'],
    ['%', '%'],
    ['100%25%', '100%%'],
    ['%61%2F%ZZ', 'a/%ZZ'],
    ['%00', '\u0000'],
  ])('that cannot be decoded is answered 404, after the key check: %s', async (escaped, id) => {
    const path = `/api/v1/messages/${escaped}`;
    const stranger = await get(path, null);
    expect(stranger).toMatchObject(expectedError('INVALID_API_KEY', null));
    const known = await get(path);
    expect(known).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'message', id }));
    expect(known.limit).toBeDefined();
    const route = '/api/v1/messages/:message_id';
    expect(await audited(stranger, known)).toMatchObject([
      { route, status: 401 },
      { route, status: 404 },
    ]);
  });

  it('may be as long as the headers allow, and is answered 404', async () => {
    const id = 'm'.repeat(12_000);
    const stranger = await get(`/api/v1/messages/${id}`, null);
    expect(stranger).toMatchObject(expectedError('INVALID_API_KEY', null));
    const known = await get(`/api/v1/messages/${id}`);
    expect(known).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'message', id }));
    const percents = await get(`/api/v1/messages/${'%'.repeat(12_000)}`);
    expect(percents).toMatchObject(
      expectedError('RESOURCE_NOT_FOUND', { resource: 'message', id: '%'.repeat(12_000) }),
    );
    expect((await audited(stranger, known, percents)).map(({ status }) => status)).toEqual([401, 404, 404]);
  });
});

describe('a request path', () => {
  it('of an unknown route that cannot be decoded is answered 404, with or without a key', async () => {
    for (const key of [gateway.testKey, null])
      expect(await get('/api/v1/nowhere/%ZZ', key)).toMatchObject(
        expectedError('RESOURCE_NOT_FOUND', { resource: 'route', id: 'GET /api/v1/nowhere/%25ZZ' }),
      );
  });

  it('in absolute form is the same path, for any host', async () => {
    const answers = [
      await get('http://gateway/api/v1/messages'),
      await get('http://gateway:99999/api/v1/messages?per_page=1'),
      await get('HTTP://user:secret@gateway/api/v1/nowhere'),
      await get('http://gateway/api/v1/messages/%ZZ'),
    ];
    expect(await audited(...answers)).toEqual([
      { path: '/api/v1/messages', route: '/api/v1/messages', status: 200 },
      { path: '/api/v1/messages', route: '/api/v1/messages', status: 200 },
      { path: '/api/v1/nowhere', route: null, status: 404 },
      { path: '/api/v1/messages/%25ZZ', route: '/api/v1/messages/:message_id', status: 404 },
    ]);
  });

  it('keeps its query', async () => {
    const answer = await get('/api/v1/messages?platform=%ZZ');
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { parameter: 'platform', value: '%ZZ' } } },
    });
  });

  it('is in the audit log with only the end of a key, and 256 characters at most', async () => {
    const key = generateKey('live');
    const escaped = `service%5Fsk_live%5f${key.slice(-32)}`;
    const answers = [
      await get(`/api/v1/messages/${key}`),
      await get(`/api/v1/nowhere/${key}/${gateway.testKey}`, null),
      await get(`/api/v1/messages/${key}9`),
      await get(`/api/v1/messages/${escaped}%00`),
      await get(`/api/v1/messages#api_key=${key}`),
      await get(`/api/v1/messages/${'m'.repeat(2_000)}${key}`),
      await get(`/api/v1/nowhere/${key}${'/'.repeat(2_010)}%F0%9F%A6%8A`),
    ];
    const masked = `service_sk_live_…${key.slice(-4)}`;
    const paths = (await audited(...answers)).map(({ path }) => path);
    expect(paths).toEqual([
      `/api/v1/messages/${masked}`,
      `/api/v1/nowhere/${masked}/service_sk_test_…${gateway.testKey.slice(-4)}`,
      `/api/v1/messages/service_sk_live_…${`${key}9`.slice(-4)}`,
      `/api/v1/messages/${masked}`,
      '/api/v1/messages',
      `/api/v1/messages/${'m'.repeat(2_000)}`.slice(0, 256),
      `/api/v1/nowhere/${masked}${'/'.repeat(2_010)}`.slice(0, 256),
    ]);
  });
});
