import { generateKey } from '../../../src/api-keys/key-format';
import type { AuditEntryDto } from '../../../src/admin/audit/list/audit.dto';
import { Database } from '../../../src/core/database/database.service';
import { expectAtMost } from '../../hostile/figures';
import { callApi } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { RawClient } from '../../support/raw-client';

const FLOOD = 500;
const OWN_ROWS = 60;

describe('clients without a valid key', () => {
  let gateway: TestGateway;
  let lookups = 0;

  beforeEach(async () => {
    // Addresses of 203.0.113.0/24 by X-Forwarded-For, so that a test has addresses of its own.
    gateway = await startTestGateway({ env: { TRUST_PROXY: '127.0.0.0/8' } });
    lookups = 0;
    onLookUp((lookUp) => {
      lookups += 1;
      return lookUp();
    });
  });

  afterEach(() => gateway.stop());

  /** Has every look-up of a key go through the hook. */
  function onLookUp(hook: (lookUp: () => Promise<unknown>) => Promise<unknown>): void {
    type Query = (statement: { name: string }, ...rest: unknown[]) => Promise<unknown>;
    const database = gateway.app.get<{ query: Query }>(Database);
    const query: Query = database.query.bind(database);
    database.query = (statement, ...rest) => {
      const call = () => query(statement, ...rest);
      return statement.name === 'api-key-find' ? hook(call) : call();
    };
  }

  const request = (from: string, path: string, key?: string, method = 'GET') =>
    callApi(gateway.url, method, path, undefined, { key, headers: { 'x-forwarded-for': from } });
  const flood = (count: number, call: (index: number) => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: count }, async (_, index) => (await call(index)).status));
  /** In turn, so that none is looked up before the one before it was counted. */
  const exceed = async (from: string) => {
    for (let index = 0; index < OWN_ROWS; index += 1) await request(from, '/api/v1/status');
  };
  const entries = async (query = '') =>
    (await gateway.api<AuditEntryDto[]>('GET', `/admin/audit-log?per_page=100&sort=timestamp${query}`)).body;
  const entriesOf = async (from: string) => {
    const { data } = await entries();
    return data.filter(({ client_ip: address }) => address === from);
  };
  const requestsOf = (rows: readonly AuditEntryDto[]) => rows.reduce((sum, { count }) => sum + count, 0);

  it('clients without a key fill the audit log with 60 rows a minute, and one more per route and status that has a count', async () => {
    const statuses = await flood(FLOOD, (index) =>
      request('203.0.113.1', index % 2 ? '/api/v1/messages' : `/api/v1/nowhere/${'x'.repeat(2_000)}`),
    );
    expect(new Set(statuses)).toEqual(new Set([401, 404]));
    const rows = await eventually('all are in the audit log', async () => {
      const found = await entriesOf('203.0.113.1');
      expect(requestsOf(found)).toBe(FLOOD);
      return found;
    });
    // A minute may have ended meanwhile.
    expectAtMost({
      name: `rows of ${FLOOD} requests without a key`,
      value: rows.length,
      unit: 'rows',
      most: OWN_ROWS + 4,
    });
    const shared = rows.filter(({ count }) => count > 1);
    expect(shared.length).toBeGreaterThanOrEqual(2);
    for (const { masked_key: masked, path, timestamp, last_at: last, status, route, request_id: id } of shared) {
      expect(masked).toBeNull();
      expect(path.length).toBeLessThanOrEqual(256);
      expect(last >= timestamp).toBe(true);
      expect(route).toBe(status === 404 ? null : '/api/v1/messages');
      expect(id).toMatch(/^req_/);
    }
    expect(rows.filter(({ count }) => count === 1).every(({ timestamp, last_at: last }) => timestamp === last)).toBe(
      true,
    );
    expect((await entries()).meta.pagination.total).toBe((await gateway.sql('SELECT 1 FROM audit_log')).length);
  });

  it('clients that try many keys cause one look-up of a key at a time, and valid keys still work', async () => {
    const from = '203.0.113.2';
    await exceed(from);
    const statuses = await flood(100, () => request(from, '/api/v1/status', generateKey('live')));
    const refused = statuses.filter((status) => status === 429).length;
    process.stdout.write(`  figure: look-ups of 100 unknown keys at once: ${lookups}, refused: ${refused}\n`);
    // How many find the queue full depends on how fast they come; the next test holds the database.
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(lookups).toBe(100 - refused);
    const key = await gateway.createKey({ scopes: ['read:status'] });
    expect((await request(from, '/api/v1/status', key)).status).toBe(200);
    await eventually('the refusals share rows', async () => {
      const rows = await entriesOf(from);
      expect(requestsOf(rows)).toBe(OWN_ROWS + 101);
      expect(rows.length).toBeLessThanOrEqual(OWN_ROWS + 6);
    });
  });

  it('one look-up of an unknown key runs and ten wait; the other clients are told to retry later', async () => {
    const from = '203.0.113.3';
    await exceed(from);
    let underWay = 0;
    let most = 0;
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    onLookUp(async (lookUp) => {
      most = Math.max(most, ++underWay);
      await gate;
      underWay -= 1;
      return lookUp();
    });
    const calls = Array.from({ length: 30 }, () => request(from, '/api/v1/status', generateKey('live')));
    const refused = await eventually('the rest are refused', async () => {
      const states = await Promise.all(calls.map((call) => Promise.race([call, Promise.resolve(undefined)])));
      const answered = states.filter((answer) => answer !== undefined);
      expect(answered).toHaveLength(30 - 11);
      return answered;
    });
    for (const answer of refused) {
      expect(answer).toMatchObject({
        status: 429,
        headers: { 'retry-after': '1' },
        body: { error: { code: 'RATE_LIMIT_EXCEEDED', details: { limit: 60, window_seconds: 60 } } },
      });
    }
    release();
    expect(most).toBe(1);
    expect((await Promise.all(calls)).filter(({ status }) => status === 401)).toHaveLength(11);
  });

  it('clients that try keys do not delay requests with cached keys', async () => {
    const from = '203.0.113.4';
    const key = await gateway.createKey({ scopes: ['read:status'] });
    expect((await request(from, '/api/v1/status', key)).status).toBe(200);
    await exceed(from);
    lookups = 0;
    const [known] = await Promise.all([
      flood(50, () => request(from, '/api/v1/status', key)),
      flood(50, () => request(from, '/api/v1/status', generateKey('live'))),
    ]);
    expect(new Set(known)).toEqual(new Set([200]));
  });

  it('clients that repeat one unknown key cause one look-up a second', async () => {
    const key = generateKey('test');
    await request('203.0.113.5', '/api/v1/status', key);
    for (let count = 0; count < 10; count += 1) {
      expect((await request('203.0.113.5', '/api/v1/status', key)).status).toBe(401);
    }
    expect(lookups).toBeLessThanOrEqual(2);
    await eventually('it is looked up again after a second', async () => {
      const before = lookups;
      await request('203.0.113.50', '/api/v1/status', key);
      expect(lookups).toBeGreaterThan(before);
    });
  });

  it('clients of one IPv6 network count as one, and share their rows of the audit log', async () => {
    await flood(100, (index) => request(`2001:db8:1:2::${index.toString(16)}`, '/api/v1/messages'));
    await flood(10, () => request('2001:db8:1:3::1', '/api/v1/messages'));
    await eventually('all are in the audit log', async () => {
      expect(requestsOf(await entriesOf('2001:db8:1:2::/64'))).toBe(40);
      expect(await entriesOf('2001:db8:1:3::1')).toHaveLength(10);
    });
  });

  it('clients are counted only for refusals of the API', async () => {
    const from = '203.0.113.6';
    const elsewhere = ['/health/live', '/callbacks/nowhere', '/docs', '/dashboard', '/metrics', '/nowhere'];
    const headers = { 'x-forwarded-for': from };
    for (const path of elsewhere) await flood(70, () => fetch(`${gateway.url}${path}`, { headers }));
    await flood(70, () => request(from, '/api/v1/status', undefined, 'OPTIONS'));
    expect((await request(from, '/api/v1/status', gateway.liveKey)).status).toBe(200);
    await flood(70, () => request(from, '/api/v1/nowhere', gateway.liveKey));
    lookups = 0;
    const statuses = await flood(50, () => request(from, '/api/v1/status', generateKey('live')));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(lookups).toBe(50);
  });

  it('requests that the parser rejects are in the audit log with a readable key, and share rows once they are many', async () => {
    const bad = (...lines: string[]) => new RawClient(gateway.url).write(...lines, 'Bad Header: x', '', '').answer();
    const key = await gateway.createKey({ scopes: ['read:status'] });
    await request('203.0.113.7', '/api/v1/status', key);
    const answers = [
      await bad('GET /api/v1/status?page=1 HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`),
      await bad(`POST /api/v1/messages/send?api_key=${key} HTTP/1.1`, 'Host: x'),
      await new RawClient(gateway.url).write('nonsense', '', '').answer(),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    const masked_key = `service_sk_live_…${key.slice(-4)}`;
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    await eventually('they are in the audit log', async () => {
      const { data } = await entries('&status=400');
      expect(data).toMatchObject([
        { method: 'GET', path: '/api/v1/status', masked_key, client_ip: '127.0.0.1', request_id: ids[0] },
        { method: 'POST', path: '/api/v1/messages/send', masked_key, request_id: ids[1] },
        { method: '-', path: '-', masked_key: null, request_id: ids[2] },
      ]);
    });
    for (let count = 0; count < 100; count += 1) await bad('GET /api/v1/status HTTP/1.1', 'Host: x');
    await eventually('all are counted', async () => {
      const { data } = await entries('&status=400');
      expect(requestsOf(data)).toBe(103);
      expect(data.length).toBeLessThanOrEqual(2 + OWN_ROWS + 2);
    });
  });
});
