import { ERRORS, type ErrorCode, type ErrorDetails } from '#contracts';

/** What each code's details look like, for the reader of the document. */
const DETAILS: { [C in ErrorCode]: ErrorDetails[C] } = {
  INVALID_API_KEY: null,
  API_KEY_EXPIRED: { expired_at: '2026-01-31T00:00:00.000Z' },
  INSUFFICIENT_PERMISSIONS: { required_scope: 'write:messages', key_scopes: ['read:status'] },
  IP_NOT_ALLOWED: { request_ip: '203.0.113.9', allowed_ips: ['198.51.100.0/24'] },
  INVALID_REQUEST: { reason: 'the body is not valid JSON' },
  INVALID_PARAMETER: { parameter: 'per_page', reason: 'must be an integer from 1 to 100', value: 500 },
  MISSING_PARAMETER: { parameter: 'message' },
  RESOURCE_NOT_FOUND: { resource: 'message', id: 'msg_01h455vb4pex5vsknk084sn02q' },
  PLATFORM_NOT_CONNECTED: { platform: 'telegram', status: 'disconnected', reason: 'not configured' },
  AI_PROVIDER_ERROR: { provider: 'anthropic', type: 'overloaded', retryable: true },
  RATE_LIMIT_EXCEEDED: { limit: 60, window_seconds: 60, retry_after_seconds: 12 },
  INTERNAL_ERROR: null,
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is malformed, or a parameter is missing or invalid.',
  401: 'The key is missing, not valid or expired.',
  403: 'The key may not do this, or not from here.',
  404: 'The resource does not exist.',
  429: 'Too many requests.',
  500: 'Something failed on our side, or at the AI provider.',
};

const META = {
  type: 'object',
  description: 'About the answer itself. Not part of 401 and 403.',
  required: ['request_id', 'timestamp'],
  properties: {
    request_id: {
      type: 'string',
      description: 'Also in the header X-Request-Id.',
      example: 'req_01h455vb4pex5vsknk084sn02q',
    },
    timestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When the answer was made.',
      example: '2026-01-31T12:00:00.000Z',
    },
  },
};

/** The schema `Error`. */
export const ERROR_SCHEMA = {
  type: 'object',
  description: 'Every error has this form.',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', enum: [false], description: 'Always false.' },
    error: {
      type: 'object',
      description: 'What went wrong.',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS), description: 'For programs.' },
        message: { type: 'string', description: 'For people.' },
        details: {
          type: 'object',
          nullable: true,
          additionalProperties: true,
          description: 'Depends on the code; see the examples.',
        },
      },
    },
    meta: META,
  },
};

function example(code: ErrorCode) {
  const { status, message } = ERRORS[code];
  const meta = { request_id: META.properties.request_id.example, timestamp: META.properties.timestamp.example };
  const body = { success: false, error: { code, message, details: DETAILS[code] } };
  return { summary: code, value: status === 401 || status === 403 ? body : { ...body, meta } };
}

/** The response of one status, with an example of each of the given codes that has it. */
function errorResponse(status: number, codes: readonly ErrorCode[]) {
  const examples = codes.filter((code) => ERRORS[code].status === status).map((code) => [code, example(code)]);
  return {
    description: TITLES[status],
    ...(status === 429 && {
      headers: {
        'Retry-After': { description: 'Seconds after which a request is accepted again.', schema: { type: 'integer' } },
      },
    }),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  };
}

/** By status, the responses in which an operation may answer with one of the given codes. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, unknown> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [String(status), errorResponse(status, codes)]));
}
