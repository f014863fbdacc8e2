import { textFault } from '#contracts';
import { constraint, field, reasonedConstraint, type FieldOptions } from './field.decorator';

export interface TextOptions extends FieldOptions {
  /** Shortest text, in characters (code points); 1 by default. */
  min?: number;
  /** Longest text, in characters (code points). */
  max: number;
  /** Contains a visible character. */
  notBlank?: boolean;
  /** For the document only; not validated. */
  format?: string;
  writeOnly?: boolean;
}

/** A well-formed text. */
export function TextField({ min = 1, max, notBlank = false, format, writeOnly, ...options }: TextOptions) {
  const schema = { type: String, minLength: min, maxLength: max, format, writeOnly };
  return field(
    { ...schema, ...(notBlank && { pattern: String.raw`\S` }) },
    options,
    reasonedConstraint('text', (value) => (typeof value === 'string' ? faultOf(value, min, max) : 'must be a string')),
    ...(notBlank ? [constraint('notBlank', 'must not be blank', isNotBlank)] : []),
  );
}

/** An e-mail address. */
export function EmailField(options: FieldOptions): PropertyDecorator {
  return field(
    { type: String, format: 'email' },
    options,
    constraint('email', `must be an e-mail address${options.nullable ? ' or null' : ''}`, isEmail),
  );
}

function isEmail(value: unknown): boolean {
  return typeof value === 'string' && textFault(value, 254) === undefined && /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(value);
}

function faultOf(text: string, min: number, max: number): string | undefined {
  if (min > 1 && [...text].length < min) return `must be at least ${min} characters long`;
  return textFault(text, max);
}

function isNotBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() !== '';
}
