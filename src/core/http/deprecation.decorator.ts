import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { DeprecationInterceptor, type Deprecation } from './deprecation.interceptor';

/**
 * Declares an operation, or some fields of its request, deprecated. Put it below `@ApiOperation`, which keeps earlier
 * settings and adds the summary.
 * @throws RangeError if a sunset is less than twelve months after its `since`
 */
export function Deprecated(...deprecations: [Deprecation, ...Deprecation[]]): MethodDecorator {
  for (const { since, sunset } of deprecations) {
    const earliest = new Date(since);
    earliest.setUTCFullYear(earliest.getUTCFullYear() + 1);
    if (!(Date.parse(sunset) >= earliest.getTime())) {
      throw new RangeError(`A sunset on ${sunset} is less than twelve months after ${since}`);
    }
  }
  const whole = deprecations.some(({ field }) => field === undefined);
  return applyDecorators(
    UseInterceptors(new DeprecationInterceptor(deprecations)),
    ...(whole ? [ApiOperation({ deprecated: true })] : []),
  );
}
