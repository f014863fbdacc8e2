import { fromPublicId } from '#contracts';
import { eventually } from '../../support/eventually';
import { RawClient } from '../../support/raw-client';
import { startTestGateway, useGateway, type TestGateway } from '../../support/gateway';

const gateway = useGateway({ env: { TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8, fd00::/8' } });
/** Its tests' own address is no trusted proxy's. */
let direct: TestGateway;

beforeAll(async () => {
  direct = await startTestGateway({ env: { TRUST_PROXY: '10.0.0.0/8' } });
});

const from = (forwarded: string, key: string) =>
  gateway.api('GET', '/messages', undefined, { key, headers: { 'x-forwarded-for': forwarded } });

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:1234', '203.0.113.7'],
  ['203.0.113.7:1234, 10.0.0.1:80', '203.0.113.7'],
  ['198.51.100.1,203.0.113.7:1234 ,10.0.0.1', '203.0.113.7'],
  ['2001:db8::5', '2001:db8::5'],
  ['[2001:db8::5]', '2001:db8::5'],
  ['[2001:db8::5]:443', '2001:db8::5'],
  ['[2001:db8::5]:443, [fd00::1]:443', '2001:db8::5'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
])('a trusted proxy determines the client address: %s', async (forwarded, address) => {
  const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] });
  const { status, headers } = await from(forwarded, key);
  expect({ status, address: await storedAddress(headers) }).toEqual({ status: 200, address });
});

it.each([
  ['nonsense', 'unknown'],
  ['a very long text', 'x'.repeat(8_000)],
  ['nothing but commas', ', ,'],
  ['an address that is none', '256.1.1.1'],
  ['an octal address', '0177.0.0.1'],
  ['a port that is none', '203.0.113.7:http'],
  ['a bracket that is not closed', '[2001:db8::5'],
  ['an IPv6 address with a zone of any length', `fe80::1%${'x'.repeat(8_000)}`],
  ['nonsense behind a trusted proxy', '203.0.113.7, unknown, 10.0.0.1'],
  ['a port that is too long', `203.0.113.7:${'1'.repeat(8_000)}`],
])("%s is not an address, so the proxy's address counts", async (_, forwarded) => {
  const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24'] });
  const { body, headers } = await from(forwarded, key);
  expect(body.error).toMatchObject({ code: 'IP_NOT_ALLOWED', details: { request_ip: '127.0.0.1' } });
  expect(await storedAddress(headers)).toBe('127.0.0.1');
});

it.each(['unknown', '256.1.1.1', ', ,', '203.0.113.7, unknown', '', undefined])(
  'a trusted proxy that names its client %j opens nothing that its own address may',
  async (forwarded) => {
    const key = await gateway.createKey({ allowedIps: ['127.0.0.1'] });
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const { body } = await gateway.api('GET', '/messages', undefined, { key, headers });
    expect(body.error).toMatchObject({ code: 'IP_NOT_ALLOWED', details: { request_ip: '127.0.0.1' } });
    expect((await fetch(`${gateway.url}/metrics`, { headers })).status).toBe(401);
  },
);

it('an address that is no trusted proxy needs to name no client', async () => {
  const key = await direct.createKey({ allowedIps: ['127.0.0.1'] });
  expect((await direct.api('GET', '/messages', undefined, { key })).status).toBe(200);
  expect((await fetch(`${direct.url}/metrics`)).status).toBe(200);
});

it.each(['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded', 'Via'])(
  'metrics without a token are refused to a request with %s',
  async (header) => {
    expect((await fetch(`${direct.url}/metrics`)).status).toBe(200);
    const forwarded = await fetch(`${direct.url}/metrics`, { headers: { [header]: '127.0.0.1' } });
    expect(forwarded.status).toBe(401);
  },
);

it.each([
  ['localhost:3000', 200],
  ['[::1]:3000', 200],
  ['127.0.0.2', 200],
  ['rebound.example.com', 401],
  ['localhost.example.com', 401],
  ['127.0.0.1.example.com:80', 401],
])('metrics without a token, asked of the host %s, answer with %i', async (host, status) => {
  const asked = new RawClient(direct.url).write('GET /metrics HTTP/1.1', `Host: ${host}`, 'Connection: close', '', '');
  expect((await asked.answer()).status).toBe(status);
});

it('metrics with a token are read through a proxy', async () => {
  const guarded = await startTestGateway({ env: { METRICS_TOKEN: 'a-token' } });
  const headers = { authorization: 'Bearer a-token', 'x-forwarded-for': '203.0.113.7' };
  expect((await fetch(`${guarded.url}/metrics`, { headers })).status).toBe(200);
});

/** What the audit log has for the client's address. */
function storedAddress(headers: Record<string, unknown>): Promise<string> {
  return eventually('the row is written', async () => {
    const rows = await gateway.sql<{ client_ip: string }>('SELECT client_ip FROM audit_log WHERE request_id = $1', [
      fromPublicId('request', headers['x-request-id'] as string),
    ]);
    expect(rows).toHaveLength(1);
    return rows[0]!.client_ip;
  });
}
