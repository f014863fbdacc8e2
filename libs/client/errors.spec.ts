import { ERRORS, type ErrorCode } from './contracts';
import {
  GatewayAuthenticationError,
  GatewayConnectionError,
  GatewayError,
  GatewayNotFoundError,
  GatewayPermissionError,
  GatewayPlatformError,
  GatewayRateLimitError,
  GatewayServerError,
  GatewayTimeoutError,
  GatewayValidationError,
} from './errors';

const CLASSES: Readonly<Record<ErrorCode, typeof GatewayError>> = {
  INVALID_API_KEY: GatewayAuthenticationError,
  API_KEY_EXPIRED: GatewayAuthenticationError,
  INSUFFICIENT_PERMISSIONS: GatewayPermissionError,
  IP_NOT_ALLOWED: GatewayPermissionError,
  INVALID_REQUEST: GatewayValidationError,
  INVALID_PARAMETER: GatewayValidationError,
  MISSING_PARAMETER: GatewayValidationError,
  RESOURCE_NOT_FOUND: GatewayNotFoundError,
  PLATFORM_NOT_CONNECTED: GatewayPlatformError,
  AI_PROVIDER_ERROR: GatewayServerError,
  RATE_LIMIT_EXCEEDED: GatewayRateLimitError,
  INTERNAL_ERROR: GatewayServerError,
};

const answered = (status: number, code: string, headers?: Headers) =>
  GatewayError.of(status, { error: { code, message: 'No.', details: null }, meta: { request_id: 'req_1' } }, headers);

describe('the error class', () => {
  it.each(Object.entries(CLASSES))('is named after the code %s', (code, expected) => {
    const error = answered(ERRORS[code as ErrorCode].status, code);
    expect(error).toBeInstanceOf(GatewayError);
    expect([error.constructor, error.name]).toEqual([expected, expected.name]);
    expect(GatewayError.inStream({ error: { code, message: 'No.', details: null } })).toBeInstanceOf(expected);
  });

  it('follows the status if a newer gateway sends an unknown code', () => {
    expect(answered(404, 'TENANT_NOT_FOUND')).toBeInstanceOf(GatewayNotFoundError);
    expect(answered(418, 'TEAPOT').constructor).toBe(GatewayError);
  });

  it.each([
    [404, GatewayError],
    [401, GatewayError],
    [429, GatewayRateLimitError],
    [502, GatewayServerError],
  ])('is generic for a %d from another server', (status, expected) => {
    const error = GatewayError.of(status, '<html>');
    expect([error.constructor, error.code, error.details]).toEqual([expected, 'UNKNOWN', null]);
  });

  it('of a rate limit has the time to wait', () => {
    const error = answered(429, 'RATE_LIMIT_EXCEEDED', new Headers({ 'retry-after': '7' }));
    expect(error).toMatchObject({ name: 'GatewayRateLimitError', retryAfter: 7, requestId: 'req_1' });
  });

  it.each([
    [new GatewayConnectionError('broken', { cause: 'a cause' }), 'CONNECTION_FAILED', 'GatewayConnectionError'],
    [new GatewayTimeoutError('late', { cause: 'a cause' }), 'TIMEOUT', 'GatewayTimeoutError'],
  ])('is GatewayError if no response arrived', (error, code, name) => {
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toBeInstanceOf(GatewayConnectionError);
    expect(error).toMatchObject({ status: 0, code, name, details: null, cause: 'a cause' });
  });
});
