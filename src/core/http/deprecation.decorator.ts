import { applyDecorators } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Deprecation } from './deprecation';
import { ExtendRouteConfig } from './route-config.decorator';

/**
 * Declares an operation, or some fields of its request, deprecated. Put it below `@ApiOperation`, which keeps what is
 * there and sets the summary.
 * @throws RangeError when a sunset is less than twelve months after its `since`
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
  return applyDecorators(ExtendRouteConfig({ deprecations }), ...(whole ? [ApiOperation({ deprecated: true })] : []));
}
