/**
 * The error catalogue: every code the API can answer with, its HTTP status and its default message. Only the statuses of
 * the specification exist under /api.
 */
export const ERRORS = {
  INVALID_API_KEY: { status: 401, message: 'The API key is missing or not valid.' },
  API_KEY_EXPIRED: { status: 401, message: 'The API key has expired.' },
  INSUFFICIENT_PERMISSIONS: { status: 403, message: 'The API key lacks the scope that this operation needs.' },
  IP_NOT_ALLOWED: { status: 403, message: 'The API key may not be used from this address.' },
  INVALID_REQUEST: { status: 400, message: 'The request is malformed.' },
  INVALID_PARAMETER: { status: 400, message: 'A parameter has an invalid value.' },
  MISSING_PARAMETER: { status: 400, message: 'A required parameter is missing.' },
  RESOURCE_NOT_FOUND: { status: 404, message: 'The resource does not exist.' },
  PLATFORM_NOT_CONNECTED: { status: 400, message: 'The platform is not connected.' },
  AI_PROVIDER_ERROR: { status: 500, message: 'The AI provider did not answer.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests.' },
  INTERNAL_ERROR: { status: 500, message: 'An unexpected error occurred.' },
} as const satisfies Record<string, { status: 400 | 401 | 403 | 404 | 429 | 500; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault of a request, as listed in `details` of INVALID_PARAMETER and MISSING_PARAMETER. */
export interface ParameterFault {
  /** Dotted path: `options.parse_mode`, `scopes[0]`. */
  parameter: string;
  reason: string;
  value?: unknown;
}

/** How many more faults there are: an answer lists only the first 20. */
export interface OmittedFaults {
  errors_omitted?: number;
}

interface RateLimitDetails {
  limit: number;
  window_seconds: number;
  retry_after_seconds: number;
}

/** A refusal by a budget. Amounts in US dollars. */
export interface BudgetDetails extends Omit<RateLimitDetails, 'retry_after_seconds'> {
  scope: 'budget';
  /** Null: the call costs more than the whole budget, so no wait helps. */
  retry_after_seconds: number | null;
  spent_usd: number;
  /** Calls under way may cost this much. */
  reserved_usd: number;
  /** The most that the refused call could cost. */
  needed_usd: number;
}

/** A refusal by `rate_limits.billable_messages_per_day`. */
export interface BillableDetails extends Omit<RateLimitDetails, 'retry_after_seconds'> {
  scope: 'billable';
  /** Null: the message has more parts than the limit. */
  retry_after_seconds: number | null;
}

/** The `details` of each code. */
export interface ErrorDetails {
  INVALID_API_KEY: null;
  API_KEY_EXPIRED: { expired_at: string };
  INSUFFICIENT_PERMISSIONS: { required_scope: string; key_scopes: readonly string[] };
  IP_NOT_ALLOWED: { request_ip: string; allowed_ips: readonly string[] };
  INVALID_REQUEST: { reason: string; limit?: number } | ({ fields: string[] } & OmittedFaults);
  INVALID_PARAMETER: ParameterFault | ({ errors: ParameterFault[] } & OmittedFaults);
  MISSING_PARAMETER: { parameter: string; errors?: ParameterFault[] } & OmittedFaults;
  RESOURCE_NOT_FOUND: { resource: string; id: string };
  PLATFORM_NOT_CONNECTED: { platform: string; status: string; reason: string };
  AI_PROVIDER_ERROR: { provider: string; type: string; retryable: boolean };
  RATE_LIMIT_EXCEEDED: RateLimitDetails | BudgetDetails | BillableDetails;
  INTERNAL_ERROR: null;
}
