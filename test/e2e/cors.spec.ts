import { callApi } from '../support/api';
import { startTestGateway, type TestGateway } from '../support/gateway';

const PREFLIGHT = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization,content-type',
};

describe('CORS', () => {
  let open: TestGateway;
  let closed: TestGateway;

  beforeAll(async () => {
    open = await startTestGateway({ env: { CORS_ORIGINS: 'https://app.example.com' } });
    closed = await startTestGateway();
  });

  const preflight = (gateway: TestGateway, origin: string) =>
    callApi(gateway.url, 'OPTIONS', '/admin/settings', undefined, { headers: { origin, ...PREFLIGHT } });

  it('lets pages of the configured origins call', async () => {
    const answer = await preflight(open, 'https://app.example.com');
    expect(answer).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'https://app.example.com',
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      },
    });
    const call = await open.api('GET', '/status', undefined, { headers: { origin: 'https://app.example.com' } });
    expect(call).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': 'https://app.example.com' } });
    expect(call.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
  });

  it('lets them read refusals too', async () => {
    const answer = await open.api('GET', '/status', undefined, {
      key: null,
      headers: { origin: 'https://app.example.com' },
    });
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'access-control-allow-origin': 'https://app.example.com', 'x-frame-options': 'DENY' },
    });
  });

  it.each([
    ['an unknown route', 'GET', '/nowhere', 404],
    ['a malformed URL', 'GET', '/messages/%zz', 400],
    ['an unknown version', 'GET', '/api/v9/status', 404],
  ])('lets them read the refusal of %s', async (_, method, path, status) => {
    const answer = await open.api(method, path, undefined, { headers: { origin: 'https://app.example.com' } });
    expect(answer).toMatchObject({ status, headers: { 'access-control-allow-origin': 'https://app.example.com' } });
    expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
    expect(answer.headers['vary']).toContain('Origin');
    const other = await open.api(method, path, undefined, { headers: { origin: 'https://evil.example.com' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('lets them read that HTTPS is required, and answers their preflight', async () => {
    const strict = await startTestGateway({
      env: { CORS_ORIGINS: 'https://app.example.com', REQUIRE_HTTPS: 'true' },
    });
    const answer = await strict.api('GET', '/status', undefined, { headers: { origin: 'https://app.example.com' } });
    expect(answer).toMatchObject({
      status: 400,
      headers: { 'access-control-allow-origin': 'https://app.example.com' },
      body: { error: { details: { reason: 'HTTPS is required' } } },
    });
    const { status, headers } = await preflight(strict, 'https://app.example.com');
    expect({ status, origin: headers['access-control-allow-origin'] }).toEqual({
      status: 204,
      origin: 'https://app.example.com',
    });
    expect(headers['x-request-id']).toMatch(/^req_/);
  });

  it('gives other origins nothing', async () => {
    expect((await preflight(open, 'https://evil.example.com')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is off by default', async () => {
    const answer = await preflight(closed, 'https://app.example.com');
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'RESOURCE_NOT_FOUND' } } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});
