import { randomBytes } from 'node:crypto';
import type { Answer } from './http-fake';

/** Error type and usual text by status: https://platform.claude.com/docs/en/api/errors */
const ERRORS: Record<number, [type: string, message: string]> = {
  400: ['invalid_request_error', 'The request is not valid'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'Your credit balance is too low to access the Anthropic API.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'Not Found'],
  413: ['request_too_large', 'Request exceeds the maximum allowed number of bytes.'],
  429: ['rate_limit_error', 'This request would exceed the rate limit for your organization.'],
  500: ['api_error', 'Internal server error'],
  504: ['timeout_error', 'The request timed out while being processed.'],
  529: ['overloaded_error', 'Overloaded'],
};

/** Besides 5xx, the statuses that a client may retry: `x-should-retry` is true. */
const RETRYABLE = new Set([408, 409, 429]);

export class AnthropicFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function requestId(): string {
  return `req_${randomBytes(12).toString('hex')}`;
}

/**
 * The body of an error answer.
 * @param errorCode `error_code` in `details`, e.g. `enforced_spend_limit_reached`: a 429 that a client must not retry
 */
export function errorBody(status: number, message?: string, errorCode?: string): Record<string, unknown> {
  const [type, usual] = ERRORS[status] ?? [status >= 500 ? 'api_error' : 'invalid_request_error', `Error ${status}`];
  const details = errorCode ? { details: { error_code: errorCode } } : {};
  return { type: 'error', error: { ...details, type, message: message ?? usual }, request_id: requestId() };
}

export function errorAnswer(status: number, message?: string): Answer {
  const body = errorBody(status, message);
  const headers = {
    'request-id': String(body.request_id),
    'x-should-retry': String(status >= 500 || RETRYABLE.has(status)),
  };
  return { status, headers, body };
}
