import { request } from 'node:http';
import { callApi } from '../../support/api';
import { anId, expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const PREFLIGHT = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization,content-type',
};

/** As no browser asks: `fetch` sends no `*` for a path. */
function options(url: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status?: number; headers: object; body: unknown }>((resolve, reject) => {
    const asked = request(url, { method: 'OPTIONS', path, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) as unknown }),
      );
    });
    asked.on('error', reject).end();
  });
}

describe('CORS', () => {
  let open: TestGateway;
  let closed: TestGateway;

  beforeAll(async () => {
    open = await startTestGateway({ env: { CORS_ORIGINS: 'https://app.example.com' } });
    closed = await startTestGateway();
  });

  const preflight = (gateway: TestGateway, origin: string) =>
    callApi(gateway.url, 'OPTIONS', '/admin/settings', undefined, { headers: { origin, ...PREFLIGHT } });

  it('allows pages of the configured origins', async () => {
    const answer = await preflight(open, 'https://app.example.com');
    expect(answer).toMatchObject({
      status: 200,
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
    ['an id that cannot be decoded', 'GET', '/messages/%zz', 404],
    ['an unknown version', 'GET', '/api/v9/status', 404],
  ])('lets them read the refusal of %s', async (_, method, path, status) => {
    const answer = await open.api(method, path, undefined, { headers: { origin: 'https://app.example.com' } });
    expect(answer).toMatchObject({ status, headers: { 'access-control-allow-origin': 'https://app.example.com' } });
    expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
    expect(answer.headers['vary']).toContain('Origin');
    const other = await open.api(method, path, undefined, { headers: { origin: 'https://evil.example.com' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('lets them read that HTTPS is required, and answers their preflight request', async () => {
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
      status: 200,
      origin: 'https://app.example.com',
    });
    expect(headers['x-request-id']).toMatch(/^req_/);
  });

  it.each([
    ['of an unknown route', '/api/v1/nowhere', {}],
    ['of a known one', '/api/v1/status', { origin: 'https://app.example.com' }],
    ['of a known one, by no page', '/api/v1/status', PREFLIGHT],
    ['of everything', '*', {}],
  ])('does not treat an OPTIONS %s as a preflight request', async (_, path, headers) => {
    for (const { url } of [open, closed]) {
      const answer = await options(url, path, headers);
      expect(answer.body).toEqual(
        expectedError('RESOURCE_NOT_FOUND', { resource: 'route', id: `OPTIONS ${path}` }).body,
      );
      expect(answer).toMatchObject({
        status: 404,
        headers: { 'x-request-id': anId('request'), 'x-content-type-options': 'nosniff' },
      });
    }
  });

  it('sends no CORS headers to other origins', async () => {
    expect((await preflight(open, 'https://evil.example.com')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is off by default', async () => {
    const answer = await preflight(closed, 'https://app.example.com');
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'RESOURCE_NOT_FOUND' } } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});
