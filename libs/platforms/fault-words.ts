import { Logger } from '@nestjs/common';

/** What a platform brought makes no sense; its message says what it lacks, after "was skipped:". */
export class UnreadableError extends Error {}

/** Exceptions of the language: their messages name variables and functions. */
const EXCEPTIONS = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, AggregateError, DOMException];

const logger = new Logger('Platforms');

export function isException(error: unknown): boolean {
  return EXCEPTIONS.some((exception) => error instanceof exception);
}

/** What operators and events are told of a fault: never the words of an exception, which are in the log. */
export function wordsOf(error: unknown): string {
  if (error instanceof Error && !isException(error) && error.message !== '') return error.message;
  logger.error({ err: error }, 'An exception in a platform’s adapter');
  return 'an unexpected fault; the log says more';
}
