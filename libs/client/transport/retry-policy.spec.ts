import { GatewayConnectionError, GatewayError, GatewayTimeoutError } from '../errors';
import { retryDelay } from './retry-policy';

const answered = (status: number, code?: string, retryAfter?: string) =>
  GatewayError.of(
    status,
    code === undefined ? '<html>' : { success: false, error: { code, message: 'No.', details: null } },
    new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  );
const broken = (code: string) =>
  new GatewayConnectionError('broken', {
    cause: new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) }),
  });

describe(retryDelay.name, () => {
  it.each([
    ['a limit', answered(429, 'RATE_LIMIT_EXCEEDED')],
    ['a refused connection', broken('ECONNREFUSED')],
    ['an unknown host', broken('ENOTFOUND')],
    ['a connection that takes too long', broken('UND_ERR_CONNECT_TIMEOUT')],
  ])('retries any request after %s, because nothing was done', (_, error) => {
    expect(retryDelay(error, false, 1)).toEqual(expect.any(Number));
    expect(retryDelay(error, true, 1)).toEqual(expect.any(Number));
  });

  it.each([
    ['an unexpected error', answered(500, 'INTERNAL_ERROR')],
    ["a proxy's 502", answered(502)],
    ["a proxy's 503", answered(503)],
    ['a connection that broke', broken('ECONNRESET')],
    ['a connection that was closed', broken('UND_ERR_SOCKET')],
    ['an answer that did not come', new GatewayTimeoutError('late')],
  ])('retries only an idempotent request after %s', (_, error) => {
    expect(retryDelay(error, true, 1)).toEqual(expect.any(Number));
    expect(retryDelay(error, false, 1)).toBeUndefined();
  });

  it.each([
    ['a fault of the request', answered(400, 'INVALID_PARAMETER')],
    ['a platform that is not connected', answered(400, 'PLATFORM_NOT_CONNECTED')],
    ['a key that is not valid', answered(401, 'INVALID_API_KEY')],
    ['something that does not exist', answered(404, 'RESOURCE_NOT_FOUND')],
    ['a redirection', answered(301)],
    ['a malformed answer', answered(200)],
    ["the AI provider's failure, which the gateway would repeat for a day", answered(500, 'AI_PROVIDER_ERROR')],
    ['an expired certificate', broken('CERT_HAS_EXPIRED')],
    ['an unknown certificate', broken('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['a certificate without its intermediates', broken('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['a certificate of another host, in the words of OpenSSL', broken('HOSTNAME_MISMATCH')],
    ['a certificate of another host, in those of Node', broken('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a certificate of an authority that may not issue it', broken('INVALID_CA')],
    ['a certificate for another purpose', broken('INVALID_PURPOSE')],
    ['an unsupported version of TLS', broken('ERR_TLS_INVALID_PROTOCOL_VERSION')],
    ['an error of the program', new TypeError('x is not a function')],
    ["the caller's abort", new DOMException('gone', 'AbortError')],
  ])('does not retry after %s', (_, error) => {
    expect(retryDelay(error, true, 1)).toBeUndefined();
  });

  it('doubles the maximum wait each time, up to eight seconds', () => {
    const error = answered(500, 'INTERNAL_ERROR');
    const longest = [1, 2, 3, 4, 5, 6, 60].map((attempt) => retryDelay(error, true, attempt, 1));
    expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(retryDelay(error, true, 3, 0)).toBe(0);
  });

  it('waits as long as Retry-After says, with jitter', () => {
    const error = answered(429, 'RATE_LIMIT_EXCEEDED', '7');
    expect(retryDelay(error, false, 1, 0)).toBe(7_000);
    expect(retryDelay(error, false, 1, 0.5)).toBe(7_250);
  });

  it('accepts a date in Retry-After', () => {
    const at = new Date(Date.now() + 20_000).toUTCString();
    const delay = retryDelay(answered(503, undefined, at), true, 1, 0)!;
    expect(delay).toBeGreaterThan(15_000);
    expect(delay).toBeLessThanOrEqual(20_000);
    expect(retryDelay(answered(503, undefined, new Date(0).toUTCString()), true, 1, 0)).toBe(0);
  });

  it('leaves a wait of more than a minute to the caller', () => {
    const error = answered(429, 'RATE_LIMIT_EXCEEDED', '61');
    expect(retryDelay(error, true, 1)).toBeUndefined();
    expect(error.retryAfter).toBe(61);
  });

  it('uses its own wait if it cannot read Retry-After', () => {
    expect(retryDelay(answered(503, undefined, 'soon'), true, 1, 1)).toBe(500);
  });
});
