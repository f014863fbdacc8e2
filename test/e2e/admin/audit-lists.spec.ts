import { newUuid, toPublicId } from '#contracts';
import type { AuditEntryDto } from '../../../src/admin/audit/list/audit.dto';
import { useGateway } from '../../support/gateway';
import { withClient } from '../../support/with-client';

interface Row {
  id: string;
  environment: 'live' | 'test' | null;
  key: string | null;
  status: number;
  method: string;
  request: string;
  route: string | null;
  path: string;
  at: string;
}

const ROUTES = ['/api/v1/messages', '/api/v1/messages/:message_id', '/api/v1/status', null];
const STATUSES = [200, 201, 401, 404];
const METHODS = ['GET', 'POST', 'DELETE'];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Recent, so that the retention keeps the entries. */
const FIRST_HOUR = (Math.floor(Date.now() / DAY_MS) - 20) * DAY_MS;

/** A day, and a time in it, after the first hour. */
function on(day: number, time = '00:00:00'): string {
  return `${new Date(FIRST_HOUR + day * DAY_MS).toISOString().slice(0, 10)}T${time}Z`;
}

/** The same each time: a linear congruential generator. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

describe('the audit log', () => {
  const keys = [newUuid(), newUuid()];
  const rows: Row[] = [];
  const gateway = useGateway();

  beforeAll(async () => {
    const pick = numbers(7);
    for (let index = 0; index < 3_000; index += 1) {
      const route = ROUTES[pick(ROUTES.length)]!;
      const environment = ([null, 'test', 'live', 'live', 'live'] as const)[pick(5)]!;
      rows.push({
        id: newUuid(),
        environment,
        key: environment === 'live' && pick(3) > 0 ? keys[pick(2)]! : null,
        status: STATUSES[pick(STATUSES.length)]!,
        method: METHODS[pick(METHODS.length)]!,
        request: newUuid(),
        route,
        path: route?.replace(':message_id', `msg_${pick(5)}`) ?? `/api/v1/nowhere/${pick(3)}`,
        // Some hours have none; some entries have the same time.
        at: new Date(FIRST_HOUR + pick(60) * 2 * HOUR_MS + pick(400) * 9_000).toISOString(),
      });
    }
    await insert(rows);
  });

  const insert = (some: readonly Row[]) =>
    gateway.sql(
      `INSERT INTO audit_log (id, environment, api_key_id, method, path, route, client_ip, status, request_id, duration_ms, created_at)
       SELECT id, environment, key, method, path, route, '::1', status, request, 1, at
       FROM json_to_recordset($1::json) AS r(id uuid, environment environment, key uuid, status int, method text, request uuid, route text,
         path text, at timestamptz)`,
      [JSON.stringify(some)],
    );
  /** What the list has to be. */
  function expected(filters: {
    key?: string;
    status?: number;
    method?: string;
    path?: string;
    from?: string;
    until?: string;
    sort?: string;
  }) {
    const { key, status, method, path, from = on(-9), until = on(15), sort } = filters;
    const isRoute = ROUTES.includes(path ?? '');
    const found = rows.filter(
      (row) =>
        row.environment !== 'test' &&
        (key === undefined || row.key === key) &&
        (status === undefined || row.status === status) &&
        (method === undefined || method.split(',').includes(row.method)) &&
        (path === undefined || (isRoute ? row.route : row.path) === path) &&
        row.at >= new Date(from).toISOString() &&
        row.at <= new Date(until).toISOString(),
    );
    const inTime = found.map(({ id, at }) => `${at} ${id}`).toSorted((a, b) => (a < b ? -1 : 1));
    const ids = (sort === 'timestamp' ? inTime : inTime.toReversed()).map((text) => text.split(' ')[1]!);
    return { ids: ids.map((id) => toPublicId('audit_entry', id)), total: ids.length };
  }

  async function list(filters: object, page: number, size: number) {
    const { key, from, until, ...others } = filters as { key?: string; from?: string; until?: string };
    const query = {
      start_date: from ?? on(-9),
      end_date: until ?? on(15),
      ...(key && { key_id: toPublicId('api_key', key) }),
      ...others,
      page: String(page),
      per_page: String(size),
    };
    const { body } = await gateway.api<AuditEntryDto[]>(
      'GET',
      `/admin/audit-log?${new URLSearchParams(query as never).toString()}`,
    );
    return { ids: body.data.map(({ id }) => id), total: body.meta.pagination.total };
  }

  const ranges = [
    {},
    { from: on(1, '00:00:00'), until: on(2, '00:00:00') },
    { from: on(1, '03:10:00') },
    { until: on(3, '06:20:00') },
    { from: on(1, '02:10:00'), until: on(3, '04:20:00') },
    { from: on(1, '02:10:00'), until: on(1, '02:20:00') },
    { from: on(1, '02:50:00'), until: on(1, '03:00:00') },
  ];
  const filters = [
    {},
    { key: keys[0] },
    { status: 404 },
    { status: 200 },
    { path: '/api/v1/messages/:message_id' },
    { key: keys[1], status: 401 },
    { key: keys[1], path: '/api/v1/status' },
    { status: 201, path: '/api/v1/messages' },
    { key: keys[0], status: 201, path: '/api/v1/messages' },
    { method: 'DELETE' },
    { method: 'POST,DELETE', path: '/api/v1/messages/:message_id' },
    { method: 'GET', key: keys[0], status: 200 },
  ];

  it.each(ranges)('has exact pages and totals, from either end, in %j', async (range) => {
    for (const filter of filters) {
      for (const sort of ['timestamp', '-timestamp']) {
        const all = { ...filter, ...range, sort };
        const whole = expected(all);
        const last = Math.max(1, Math.ceil(whole.total / 7));
        for (const page of new Set([1, 2, Math.ceil(last / 2), last, last + 1])) {
          const ids = whole.ids.slice((page - 1) * 7, page * 7);
          expect({ all, page, ...(await list(all, page, 7)) }).toEqual({ all, page, ids, total: whole.total });
        }
      }
    }
  });

  it('finds a route whatever its parameters are called, and a request, with other filters too', async () => {
    const route = '/api/v1/messages/:message_id';
    const { ids, total } = expected({ path: route });
    for (const path of ['/api/v1/messages/{id}', '/api/v1/messages/:anything', '/api/v1/messages/{message_id}'])
      expect(await list({ path }, 1, 5)).toEqual({ ids: ids.slice(0, 5), total });
    const { id, request, method } = rows.find((row) => row.environment === 'live' && row.route === route)!;
    const found = { ids: [toPublicId('audit_entry', id)], total: 1 };
    const none = { ids: [], total: 0 };
    const requestId = toPublicId('request', request);
    expect(await list({ request_id: requestId }, 1, 5)).toEqual(found);
    expect(await list({ request_id: requestId, method, path: route }, 1, 5)).toEqual(found);
    expect(await list({ request_id: requestId, status: 599 }, 1, 5)).toEqual(none);
    const foreign = rows.find((row) => row.environment === 'test')!;
    expect(await list({ request_id: toPublicId('request', foreign.request) }, 1, 5)).toEqual(none);
    expect(await list({ request_id: 'req_nothing' }, 1, 5)).toEqual(none);
  });

  it('finds an exact path within 24 hours', async () => {
    for (const path of ['/api/v1/messages/msg_1', '/api/v1/nowhere/2']) {
      const filter = { path, from: on(1, '02:10:00'), until: on(2, '02:09:59.999'), sort: 'timestamp' };
      const { ids, total } = expected(filter);
      expect(total).toBeGreaterThan(3);
      expect(await list(filter, 1, 3)).toEqual({ ids: ids.slice(0, 3), total });
      expect(await list({ ...filter, status: 404 }, 1, 100)).toEqual(expected({ ...filter, status: 404 }));
    }
  });

  it('finds an exact path within exactly 24 hours, and within 24 hours until now', async () => {
    for (const range of [
      { start_date: '2026-03-01T02:10:00Z', end_date: '2026-03-02T02:10:00Z' },
      { start_date: new Date(Date.now() - 86_400_000).toISOString() },
    ]) {
      const query = new URLSearchParams({ path: '/api/v1/messages/msg_1', ...range } as Record<string, string>);
      expect((await gateway.api('GET', `/admin/audit-log?${query.toString()}`)).status).toBe(200);
    }
  });

  it.each([
    'path=/api/v1/messages/msg_1&start_date=2026-03-01T02:10:00Z&end_date=2026-03-02T02:10:00.001Z',
    'path=/api/v1/messages/msg_1',
    'path=/api/v1/messages/msg_1&start_date=2026-03-01',
    'path=/api/v1/messages/msg_1&end_date=2026-03-01',
    'path=/api/v1/messages/msg_1&start_date=2026-03-01&end_date=2026-03-02',
    'path=nonsense',
    'path=/api/:((',
  ])('refuses an exact path in a longer range: %s', async (query) => {
    const { status, body } = await gateway.api('GET', `/admin/audit-log?${query}`);
    expect({ status, error: body.error }).toMatchObject({
      status: 400,
      error: { code: 'INVALID_PARAMETER', details: { parameter: 'path' } },
    });
  });

  it('reads rare routes and methods from an index', async () => {
    await withClient(gateway.databaseUrl, async (client) => {
      await client.query('SET enable_seqscan = off; SET enable_sort = off');
      const indexOf = async (column: string, value: string) => {
        const { rows: plan } = await client.query<Record<string, string>>(
          `EXPLAIN SELECT id FROM audit_log WHERE environment = 'live' AND ${column} = '${value}'
             AND created_at >= '${on(0)}' AND created_at < '${on(5)}' ORDER BY created_at DESC, id DESC LIMIT 20`,
        );
        const lines = plan.map((line) => Object.values(line)[0]!);
        return lines.some((line) => new RegExp(`Index .*audit_log_until_\\d+_environment_${column}_`).test(line));
      };
      expect([await indexOf('method', 'DELETE'), await indexOf('method', 'POST')]).toEqual([true, false]);
      expect([await indexOf('route', ROUTES[2]!), await indexOf('route', '/api/v1/messages/send')]).toEqual([
        true,
        false,
      ]);
    });
  });

  it('accepts a route that was never requested', async () => {
    expect(await list({ path: '/api/v1/sandbox/inbound' }, 1, 10)).toEqual({ ids: [], total: 0 });
  });

  it('covers the 30 days before its end unless the query has a start or a request id', async () => {
    const at = new Date(Date.now() - 40 * DAY_MS).toISOString();
    const old = { ...rows.find((row) => row.environment === 'live')!, id: newUuid(), request: newUuid(), at };
    await insert([old]);
    const ids = async (query: string) =>
      (
        await gateway.api<AuditEntryDto[]>('GET', `/admin/audit-log?per_page=100&sort=timestamp&${query}`)
      ).body.data.map(({ id }) => id);
    const id = toPublicId('audit_entry', old.id);
    expect(await ids('')).not.toContain(id);
    expect(await ids(`start_date=${new Date(Date.now() - 41 * DAY_MS).toISOString()}`)).toContain(id);
    expect(await ids(`end_date=${new Date(Date.now() - 39 * DAY_MS).toISOString()}`)).toContain(id);
    expect(await ids(`end_date=${new Date(Date.now() - 9 * DAY_MS).toISOString()}`)).not.toContain(id);
    expect(await ids(`request_id=${toPublicId('request', old.request)}`)).toEqual([id]);
  });

  it('counts up to 10,000 entries, and has no page after them', async () => {
    const [row] = rows;
    const many = Array.from({ length: 10_001 }, () => ({
      ...row!,
      environment: 'live' as const,
      id: newUuid(),
      status: 418,
      at: on(2),
    }));
    await insert(many.slice(0, 10_000));
    const read = async (query: string) =>
      (await gateway.api<AuditEntryDto[]>('GET', `/admin/audit-log?status=418&per_page=100&${query}`)).body;
    const exact = await read('page=100');
    expect(exact.data).toHaveLength(100);
    expect(exact.meta.pagination).toEqual({ page: 100, per_page: 100, total: 10_000, total_pages: 100 });
    await insert(many.slice(10_000));
    for (const page of [101, 2_000_000_000]) {
      const capped = await read(`page=${page}`);
      expect(capped.data).toEqual([]);
      const counted = { total: 10_000, total_pages: 100, total_capped: true };
      expect(capped.meta.pagination).toEqual({ page, per_page: 100, ...counted });
    }
  });
});
