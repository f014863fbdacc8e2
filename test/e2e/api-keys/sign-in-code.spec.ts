import { Clock } from '../../../src/core/clock/clock.service';
import { generateKey } from '../../../src/api-keys/key-format';
import { expectedError, expectedSuccess } from '../../support/expected';
import { startTestGateway, stopTestGateways, type TestGateway } from '../../support/gateway';

const exchange = (gateway: TestGateway, code: unknown) =>
  gateway.api<Record<'live' | 'test', string>>('POST', '/dashboard/exchange', { code }, { key: null });

describe('POST /dashboard/exchange', () => {
  afterEach(stopTestGateways);

  it('returns the keys of the first start for its code, once', async () => {
    const gateway = await startTestGateway();
    const [live, test] = gateway.gateway.createdKeys;
    const code = gateway.gateway.signInCode!;
    const { status, body } = await exchange(gateway, code);
    expect([status, body]).toEqual([200, expectedSuccess({ live, test })]);
    expect((await gateway.api('GET', '/status', undefined, { key: body.data.live })).status).toBe(200);
    expect(await exchange(gateway, code)).toMatchObject(expectedError('INVALID_API_KEY', null));
  });

  it('refuses a wrong code, and the right one after ten minutes', async () => {
    const gateway = await startTestGateway();
    const code = gateway.gateway.signInCode!;
    expect(await exchange(gateway, `${code}x`)).toMatchObject(expectedError('INVALID_API_KEY', null));
    expect((await exchange(gateway, 7)).status).toBe(400);
    gateway.app.get(Clock).adjust(10 * 60_000);
    expect(await exchange(gateway, code)).toMatchObject(expectedError('INVALID_API_KEY', null));
  });

  it('accepts five wrong codes a minute from one address, and then still the right one', async () => {
    const gateway = await startTestGateway();
    for (let tries = 1; tries <= 5; tries += 1) expect((await exchange(gateway, 'guess')).status).toBe(401);
    const { status, headers, body } = await exchange(gateway, 'guess');
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(body.error.details).toMatchObject({ limit: 5, window_seconds: 60 });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await exchange(gateway, gateway.gateway.signInCode)).status).toBe(200);
  });

  it('has no code if the first key is configured', async () => {
    const gateway = await startTestGateway({ env: { BOOTSTRAP_API_KEY: generateKey('live') } });
    expect(gateway.gateway.signInCode).toBeUndefined();
    expect(await exchange(gateway, '')).toMatchObject({ status: 400 });
  });

  it('has a code only in the process that made the keys', async () => {
    const first = await startTestGateway();
    const second = await startTestGateway({ databaseUrl: first.databaseUrl });
    expect(second.gateway.signInCode).toBeUndefined();
    expect((await exchange(second, first.gateway.signInCode)).status).toBe(401);
  });

  it('counts the addresses of one IPv6 network as one', async () => {
    const gateway = await startTestGateway({ env: { TRUST_PROXY: '127.0.0.0/8' } });
    const from = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      return (await gateway.api('POST', '/dashboard/exchange', { code: 'wrong' }, { key: null, headers })).status;
    };
    for (let count = 1; count <= 5; count += 1) expect(await from(`2001:db8::${count}`)).toBe(401);
    expect(await from('2001:db8::6')).toBe(429);
    expect(await from('2001:db8:0:1::1')).toBe(401);
  });
});
