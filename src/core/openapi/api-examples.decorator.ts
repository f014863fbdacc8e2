import { ApiExtension } from '@nestjs/swagger';

/** Where a handler's examples wait in its operation for `completeDocument`. */
export const REQUEST_EXAMPLES = 'x-request-examples';

/** Examples of a body by name; the first is the plain case. */
export type RequestExamples = Readonly<Record<string, { summary: string; value: object }>>;

/** Documents a handler's body by examples. A test sends them all. */
export function ApiExamples(examples: RequestExamples): MethodDecorator {
  return ApiExtension(REQUEST_EXAMPLES, examples);
}
