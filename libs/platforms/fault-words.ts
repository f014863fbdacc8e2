import { Logger } from '@nestjs/common';

/** A platform sent something unreadable. The message completes the sentence "was skipped: …". */
export class UnreadableError extends Error {}

/** Exceptions of the language: their messages name variables and functions. */
const EXCEPTIONS = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, AggregateError, DOMException];

const logger = new Logger('Platforms');

export function isException(error: unknown): boolean {
  return EXCEPTIONS.some((exception) => error instanceof exception);
}

/** Describes a fault for operators and events. The message of an exception goes only to the log. */
export function wordsOf(error: unknown): string {
  if (error instanceof Error && !isException(error) && error.message !== '') return error.message;
  logger.error({ err: error }, 'An exception in a platform’s adapter');
  return 'unexpected error; see the log';
}
