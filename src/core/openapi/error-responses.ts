import { ERRORS, type ErrorCode, type ErrorDetails } from '#contracts';
import { EXAMPLE_TIME } from './example-of';
import type { JsonSchema } from './json-schema';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const integer = (description: string): JsonSchema => ({ type: 'integer', description });
const texts = (description: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description });
const timestamp = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

/** An object whose fields are required. */
function object(description: string, properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', description, required, properties };
}

const FAULT = object(
  'An error in one parameter.',
  {
    parameter: text('Name of the parameter; nested names use dots and indexes: `options.parse_mode`, `scopes[0]`.'),
    reason: text('Why the value was rejected.'),
    value: {
      type: ['string', 'number', 'boolean', 'null'],
      description: 'Rejected value, unless it is secret or an object; strings are cut to 100 characters.',
    },
  },
  ['value'],
);
const FAULTS: JsonSchema = {
  type: 'array',
  maxItems: 20,
  items: { $ref: '#/components/schemas/ParameterFault' },
  description: 'Errors in the request, up to 20.',
};
const OMITTED = integer('Number of further errors, if there are more than 20.');
const NOTHING: JsonSchema = { type: 'null', description: 'Always null.' };

interface Details<C extends ErrorCode> {
  schema: JsonSchema;
  example: ErrorDetails[C];
}

const DETAILS: { [C in ErrorCode]: Details<C> } = {
  INVALID_API_KEY: { schema: NOTHING, example: null },
  API_KEY_EXPIRED: {
    schema: object('Expiry of the key.', { expired_at: timestamp('When the key expired.') }),
    example: { expired_at: '2026-01-31T00:00:00.000Z' },
  },
  INSUFFICIENT_PERMISSIONS: {
    schema: object('The missing permission.', {
      required_scope: text('Scope required by the operation.'),
      key_scopes: texts('Scopes of the key.'),
    }),
    example: { required_scope: 'write:messages', key_scopes: ['read:status'] },
  },
  IP_NOT_ALLOWED: {
    schema: object('The client address, and the addresses allowed for the key.', {
      request_ip: text('Address of the client.'),
      allowed_ips: texts('Addresses and CIDR ranges from which the key may be used.'),
    }),
    example: { request_ip: '203.0.113.9', allowed_ips: ['198.51.100.0/24'] },
  },
  INVALID_REQUEST: {
    schema: {
      description: 'What is malformed, or the unknown fields.',
      anyOf: [
        object(
          'The request is malformed.',
          {
            reason: text('Why the request is malformed.'),
            limit: integer('The limit that the request would exceed, if any.'),
          },
          ['limit'],
        ),
        object(
          'The body has unknown fields.',
          { fields: { ...texts('Names of the unknown fields, up to 20.'), maxItems: 20 }, errors_omitted: OMITTED },
          ['errors_omitted'],
        ),
      ],
    },
    example: { reason: 'the body is not valid JSON' },
  },
  INVALID_PARAMETER: {
    schema: {
      description: 'The invalid parameter, or a list of all of them.',
      anyOf: [
        { $ref: '#/components/schemas/ParameterFault' },
        object('Several errors.', { errors: FAULTS, errors_omitted: OMITTED }, ['errors_omitted']),
      ],
    },
    example: { parameter: 'per_page', reason: 'must be an integer from 1 to 100', value: 500 },
  },
  MISSING_PARAMETER: {
    schema: object(
      'The missing parameters.',
      { parameter: text('The first missing parameter.'), errors: FAULTS, errors_omitted: OMITTED },
      ['errors', 'errors_omitted'],
    ),
    example: { parameter: 'message' },
  },
  RESOURCE_NOT_FOUND: {
    schema: object('The resource that was not found.', {
      resource: text('Type of the resource.'),
      id: text('Id of the resource.'),
    }),
    example: { resource: 'message', id: 'msg_01h455vb4pex5vsknk084sn02q' },
  },
  PLATFORM_NOT_CONNECTED: {
    schema: object('Platform state.', {
      platform: text('Name of the platform.'),
      status: text('Connection status of the platform.'),
      reason: text('Why the platform is not connected.'),
    }),
    example: { platform: 'telegram', status: 'disconnected', reason: 'not configured' },
  },
  AI_PROVIDER_ERROR: {
    schema: object('The error of the AI provider.', {
      provider: text('Name of the provider.'),
      type: text('Type of the error.'),
      retryable: { type: 'boolean', description: 'Whether a retry may succeed.' },
    }),
    example: { provider: 'anthropic', type: 'overloaded', retryable: true },
  },
  RATE_LIMIT_EXCEEDED: {
    schema: object(
      'The limit that was exceeded.',
      {
        limit: {
          type: 'number',
          description: 'Number of requests, messages or connections allowed in the window; for a budget, US dollars.',
        },
        window_seconds: integer('Length of the window, in seconds.'),
        retry_after_seconds: {
          type: ['integer', 'null'],
          description:
            'Seconds until the next request is accepted, as in the header Retry-After. Null, and no header, if a call costs more than its whole budget or a message has more parts than the limit allows.',
        },
        scope: {
          type: 'string',
          enum: ['budget', 'billable'],
          description:
            '`budget`: an AI budget is spent. `billable`: the limit of billable messages of the UTC day is reached.',
        },
        spent_usd: { type: 'number', description: 'For a budget: amount spent.' },
        reserved_usd: { type: 'number', description: 'For a budget: amount reserved for calls in progress.' },
        needed_usd: { type: 'number', description: 'For a budget: maximum cost of this call.' },
      },
      ['scope', 'spent_usd', 'reserved_usd', 'needed_usd'],
    ),
    example: { limit: 60, window_seconds: 60, retry_after_seconds: 12 },
  },
  INTERNAL_ERROR: { schema: NOTHING, example: null },
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is malformed, or a parameter is missing or invalid.',
  401: 'The key is missing, invalid or expired.',
  403: 'The key lacks a scope, or may not be used from this address.',
  404: 'The resource does not exist.',
  429: 'Too many requests.',
  500: 'The gateway or the AI provider failed.',
};

const CODES = Object.keys(ERRORS) as ErrorCode[];
const hasMeta = (code: ErrorCode) => ERRORS[code].status !== 401 && ERRORS[code].status !== 403;

/** `INVALID_API_KEY` → `InvalidApiKeyError` */
function schemaName(code: ErrorCode): string {
  const words = code
    .toLowerCase()
    .split('_')
    .filter((word) => word !== 'error');
  return `${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}Error`;
}

const reference = (code: ErrorCode) => `#/components/schemas/${schemaName(code)}`;

function errorSchema(code: ErrorCode): JsonSchema {
  const { status, message } = ERRORS[code];
  return object(`Status ${status}. ${message}`, {
    code: { type: 'string', const: code, description: 'Error code, for programs.' },
    message: text('Explanation, for people.'),
    details: DETAILS[code].schema,
  });
}

/** The body of an answer with one of the codes. Clients distinguish the schemas by `error.code`. */
function bodySchema(codes: readonly ErrorCode[], description: string): JsonSchema {
  const error: JsonSchema = {
    description: 'The error.',
    oneOf: codes.map((code) => ({ $ref: reference(code) })),
    discriminator: {
      propertyName: 'code',
      mapping: Object.fromEntries(codes.map((code) => [code, reference(code)])),
    },
  };
  const fields = { success: { type: 'boolean', const: false, description: 'Always false.' }, error };
  if (!codes.some(hasMeta)) return object(description, fields);
  const meta = { $ref: '#/components/schemas/MetaDto', description: 'Metadata of the response.' };
  return object(description, { ...fields, meta }, codes.every(hasMeta) ? [] : ['meta']);
}

function example(code: ErrorCode) {
  const { message } = ERRORS[code];
  const meta = { request_id: 'req_01h455vb4pex5vsknk084sn02q', timestamp: EXAMPLE_TIME };
  const body = { success: false, error: { code, message, details: DETAILS[code].example } };
  return { summary: message, value: hasMeta(code) ? { ...body, meta } : body };
}

/** A schema of `error` for each code, and `Error`: the body with any of them. */
export const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  ParameterFault: FAULT,
  ...Object.fromEntries(CODES.map((code) => [schemaName(code), errorSchema(code)])),
  Error: bodySchema(CODES, 'Body of every failed request; with status 401 and 403 it has no `meta`.'),
};

export const ERROR_EXAMPLES = Object.fromEntries(CODES.map((code) => [code, example(code)]));

/** The response of one status, with an example of each given code that has this status. */
function errorResponse(status: number, codes: readonly ErrorCode[]) {
  const mine = codes.filter((code) => ERRORS[code].status === status);
  const examples = mine.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: TITLES[status],
    content: {
      'application/json': {
        schema: bodySchema(mine, TITLES[status]!),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export function errorResponses(codes: readonly ErrorCode[]): Record<string, object> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [String(status), errorResponse(status, codes)]));
}
