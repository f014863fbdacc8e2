import { ApiExtension } from '@nestjs/swagger';
import type { ErrorCode } from '#contracts';

/** Where a handler's codes wait in its operation for `completeDocument`. */
export const ERROR_CODES = 'x-error-codes';

/** Documents the codes that a handler answers with beside those that follow from its key, parameters and body. */
export function ApiErrors(...codes: [ErrorCode, ...ErrorCode[]]): MethodDecorator {
  return ApiExtension(ERROR_CODES, codes);
}
