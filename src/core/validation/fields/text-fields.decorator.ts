import { textFault } from '#contracts';
import { constraint, field, reasonedConstraint, type FieldOptions } from './field.decorator';
import { EMAIL, NOT_BLANK, STORABLE } from './patterns';

const MAX_EMAIL_LENGTH = 254;

export interface TextOptions extends FieldOptions {
  /** Shortest text, in characters (code points); 1 by default. */
  min?: number;
  /** Longest text, in characters (code points). */
  max: number;
  /** Contains a visible character. */
  notBlank?: boolean;
  /** A regular expression that excludes NUL, and what it asks for: `must be …`. */
  form?: { pattern: string; requirement: string };
  /** For the document only, as is `schemaPattern`; not validated. */
  format?: string;
  schemaPattern?: string;
  writeOnly?: boolean;
}

/** A well-formed text. */
export function TextField({
  min = 1,
  max,
  notBlank = false,
  form,
  format,
  schemaPattern,
  writeOnly,
  ...options
}: TextOptions) {
  const pattern = form?.pattern ?? schemaPattern ?? (notBlank ? NOT_BLANK : STORABLE);
  const schema = { type: String, minLength: min, maxLength: max, format, writeOnly, pattern };
  return field(
    schema,
    options,
    reasonedConstraint('text', (value) => (typeof value === 'string' ? faultOf(value, min, max) : 'must be a string')),
    ...(notBlank ? [constraint('notBlank', 'must not be blank', isNotBlank)] : []),
    ...(form ? [constraint('form', form.requirement, matches(form.pattern))] : []),
  );
}

/** An e-mail address. */
export function EmailField(options: FieldOptions): PropertyDecorator {
  return field(
    { type: String, format: 'email', maxLength: MAX_EMAIL_LENGTH, pattern: EMAIL },
    options,
    constraint('email', `must be an e-mail address${options.nullable ? ' or null' : ''}`, isEmail),
  );
}

const EMAIL_FORM = new RegExp(EMAIL, 'u');

function isEmail(value: unknown): boolean {
  return typeof value === 'string' && textFault(value, MAX_EMAIL_LENGTH) === undefined && EMAIL_FORM.test(value);
}

function faultOf(text: string, min: number, max: number): string | undefined {
  if (min > 1 && [...text].length < min) return `must be at least ${min} characters long`;
  return textFault(text, max);
}

function matches(pattern: string): (value: unknown) => boolean {
  const form = new RegExp(pattern, 'u');
  return (value) => typeof value === 'string' && form.test(value);
}

function isNotBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() !== '';
}
