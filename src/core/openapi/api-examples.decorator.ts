import { ApiExtension } from '@nestjs/swagger';

/** The extension of an operation that holds a handler's examples for `completeDocument`. */
export const REQUEST_EXAMPLES = 'x-request-examples';

/** Examples of a body by name; the first is the plain case. */
export type RequestExamples = Readonly<Record<string, { summary: string; value: object }>>;

/** Documents a handler's body with examples. A test sends all of them. */
export function ApiExamples(examples: RequestExamples): MethodDecorator {
  return ApiExtension(REQUEST_EXAMPLES, examples);
}
