import type { AuditEntryDto } from '../../../src/admin/audit/list/audit.dto';
import { expectAtMost } from '../../hostile/figures';
import { callApi } from '../../support/api';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

const FLOOD = 300;
const OWN_ROWS = 60;

describe('a key that is refused many times', () => {
  const gateway = useGateway();

  const entriesOf = async (key: string) => {
    const { body } = await gateway.api<AuditEntryDto[]>('GET', '/admin/audit-log?per_page=100&sort=timestamp');
    return body.data.filter(({ masked_key: masked }) => masked?.endsWith(key.slice(-4)));
  };
  const flood = async (key: string, pathOf: (index: number) => string) => {
    const call = async (_: unknown, index: number) =>
      (await callApi(gateway.url, 'GET', pathOf(index), undefined, { key })).status;
    const statuses = await Promise.all(Array.from({ length: FLOOD }, call));
    const rows = await eventually('all are in the audit log', async () => {
      const found = await entriesOf(key);
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(FLOOD);
      return found;
    });
    return { statuses: new Set(statuses), rows };
  };

  it('gets 60 rows of the audit log a minute, and one more per route and status with a count', async () => {
    const key = await gateway.createKey({ scopes: ['read:status'], requestsPerMinute: 200 });
    const long = `/api/v1/messages/${'x'.repeat(2_000)}`;
    const { statuses, rows } = await flood(key, (index) => (index % 2 ? '/api/v1/messages' : long));
    expect(statuses).toEqual(new Set([403, 429]));
    // A minute may have ended meanwhile.
    expectAtMost({ name: `rows of ${FLOOD} refusals of a key`, value: rows.length, unit: 'rows', most: OWN_ROWS + 8 });
    const shared = rows.filter(({ count }) => count > 1);
    expect(new Set(shared.map(({ route }) => route))).toEqual(
      new Set(['/api/v1/messages', '/api/v1/messages/:message_id']),
    );
    for (const { path, last_at: last, timestamp } of rows) {
      expect(path.length).toBeLessThanOrEqual(256);
      expect(last >= timestamp).toBe(true);
    }
    const { body } = await gateway.api<AuditEntryDto[]>(
      'GET',
      `/admin/audit-log?path=${long}&start_date=${new Date(Date.now() - 3_600_000).toISOString()}`,
    );
    expect(body.data.length).toBeGreaterThan(0);
  });

  it('shares rows of unknown routes too, which have no rate limit', async () => {
    const key = await gateway.createKey({ scopes: ['read:status'] });
    expect((await callApi(gateway.url, 'GET', '/api/v1/status', undefined, { key })).status).toBe(200);
    await eventually('the first request is in the audit log', async () => expect(await entriesOf(key)).toHaveLength(1));
    await gateway.sql('DELETE FROM audit_log');
    const { statuses, rows } = await flood(key, (index) => `/api/v1/nowhere/${index}`);
    expect(statuses).toEqual(new Set([404]));
    const most = OWN_ROWS + 4;
    expectAtMost({ name: `rows of ${FLOOD} unknown routes of a key`, value: rows.length, unit: 'rows', most });
    expect(rows.filter(({ count }) => count > 1)).not.toHaveLength(0);
  });
});
