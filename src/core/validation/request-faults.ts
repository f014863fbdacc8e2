import type { ParameterFault } from '#contracts';
import { ApiError } from '../http/lifecycle/api-error';

export const MISSING = 'is required';
/** The fault of a parameter that the operation does not have. */
export const UNKNOWN_PARAMETER = 'is not a known parameter';

/** The most faults that an answer lists; it only counts the others. */
export const LISTED = 20;
/** Longest name or value that an answer repeats, in characters (code points). */
const SHOWN_LENGTH = 100;

export function parameterError(faults: readonly ParameterFault[]): ApiError {
  const errors = faults.slice(0, LISTED).map(shown);
  const [first] = errors as [ParameterFault];
  const summary = summaryOf(errors.map(({ parameter, reason }) => `${parameter} ${reason}`).join('; '), faults);
  const details = { errors, ...omittedOf(faults) };
  if (faults.every(({ reason }) => reason === MISSING)) {
    return new ApiError(
      'MISSING_PARAMETER',
      { parameter: first.parameter, ...(errors.length > 1 && details) },
      summary,
    );
  }
  return new ApiError('INVALID_PARAMETER', errors.length === 1 ? first : details, summary);
}

export function unknownFields(names: readonly string[]): ApiError<'INVALID_REQUEST'> {
  const fields = names.slice(0, LISTED).map(cut);
  const summary = summaryOf(`Unknown field: ${fields.join(', ')}`, names);
  return new ApiError('INVALID_REQUEST', { fields, ...omittedOf(names) }, summary);
}

function omittedOf({ length }: readonly unknown[]): { errors_omitted?: number } {
  return length > LISTED ? { errors_omitted: length - LISTED } : {};
}

function summaryOf(listed: string, all: readonly unknown[]): string {
  const { errors_omitted } = omittedOf(all);
  return `${listed}${errors_omitted ? `, and ${errors_omitted} more` : ''}.`;
}

/** Answers repeat only plain values. */
function shown({ parameter, reason, value }: ParameterFault): ParameterFault {
  const fault = { parameter: cut(parameter), reason };
  if (typeof value === 'string') return { ...fault, value: cut(value) };
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === null;
  return isPlain ? { ...fault, value } : fault;
}

/** Cuts a name or value. The result is well-formed: a lone surrogate has no UTF-8 form. */
function cut(text: string): string {
  const characters = text.length > SHOWN_LENGTH ? Array.from(text.slice(0, 2 * SHOWN_LENGTH)) : [text];
  return characters.slice(0, SHOWN_LENGTH).join('').toWellFormed();
}
