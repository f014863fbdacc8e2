import { ERRORS, type ErrorCode, type ErrorDetails } from '#contracts';
import type { RefusalLimit } from '../../observability/metric-labels';

/** An error of the catalogue. The API shows no other errors. */
export class ApiError<C extends ErrorCode = ErrorCode> extends Error {
  readonly status: number;

  constructor(
    readonly code: C,
    readonly details: ErrorDetails[C],
    message: string = ERRORS[code].message,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = ApiError.name;
    this.status = ERRORS[code].status;
  }

  static invalidKey(): ApiError<'INVALID_API_KEY'> {
    return new ApiError('INVALID_API_KEY', null);
  }

  static notFound(resource: string, id: string): ApiError<'RESOURCE_NOT_FOUND'> {
    return new ApiError(
      'RESOURCE_NOT_FOUND',
      { resource, id },
      `No ${resource} ${JSON.stringify(id.slice(0, 256))} exists.`,
    );
  }

  static malformed(reason: string): ApiError<'INVALID_REQUEST'> {
    return new ApiError('INVALID_REQUEST', { reason }, `The request is malformed: ${reason}.`);
  }

  static invalidParameter(parameter: string, reason: string, value?: unknown): ApiError<'INVALID_PARAMETER'> {
    return new ApiError(
      'INVALID_PARAMETER',
      { parameter, reason, ...(value !== undefined && { value }) },
      `${parameter} ${reason}.`,
    );
  }
}

/** RATE_LIMIT_EXCEEDED, with the limit for the metrics. */
export class RateLimitError extends ApiError<'RATE_LIMIT_EXCEEDED'> {
  constructor(
    readonly refusedBy: RefusalLimit,
    details: ErrorDetails['RATE_LIMIT_EXCEEDED'],
    message: string,
  ) {
    super('RATE_LIMIT_EXCEEDED', details, message);
  }
}
