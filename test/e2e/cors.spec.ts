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

  it('gives other origins nothing', async () => {
    expect((await preflight(open, 'https://evil.example.com')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is off by default', async () => {
    const answer = await preflight(closed, 'https://app.example.com');
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'RESOURCE_NOT_FOUND' } } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});
