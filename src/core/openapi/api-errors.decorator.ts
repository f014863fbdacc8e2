import { ApiExtension } from '@nestjs/swagger';
import type { ErrorCode } from '#contracts';

/** The extension of an operation that holds a handler's codes for `completeDocument`. */
export const ERROR_CODES = 'x-error-codes';

/** Documents the error codes of a handler, besides those that follow from its key, parameters and body. */
export function ApiErrors(...codes: [ErrorCode, ...ErrorCode[]]): MethodDecorator {
  return ApiExtension(ERROR_CODES, codes);
}
