import { textFault } from '#contracts';
import { constraint, field, reasonedConstraint, type FieldOptions } from './field.decorator';
import { NOT_BLANK, STORABLE } from './patterns';

const MAX_EMAIL_LENGTH = 254;

export interface TextOptions extends FieldOptions {
  /** Shortest text, in characters (code points); 1 by default. */
  min?: number;
  /** Longest text, in characters (code points). */
  max: number;
  /** Contains a visible character. */
  notBlank?: boolean;
  /** A further pattern, and its text in a refusal: `must be …`. `isDocumented`: it is the pattern of the document; else the description states it. */
  form?: { matches: RegExp; requirement: string; isDocumented?: true };
  /** For the document only; not validated. */
  format?: string;
  writeOnly?: boolean;
}

/** A well-formed text. */
export function TextField({ min = 1, max, notBlank = false, form, format, writeOnly, ...options }: TextOptions) {
  const pattern = form?.isDocumented ? form.matches.source : notBlank ? NOT_BLANK : STORABLE;
  const content = format === undefined ? { pattern } : { format };
  const schema = { type: String, minLength: min, maxLength: max, writeOnly, ...content };
  return field(
    schema,
    options,
    reasonedConstraint('text', (value) => (typeof value === 'string' ? faultOf(value, min, max) : 'must be a string')),
    ...(notBlank ? [constraint('notBlank', 'must not be blank', isNotBlank)] : []),
    ...(form ? [constraint('form', form.requirement, matches(form.matches))] : []),
  );
}

/** An e-mail address. */
export function EmailField(options: FieldOptions): PropertyDecorator {
  return field(
    { type: String, format: 'email', maxLength: MAX_EMAIL_LENGTH },
    options,
    constraint('email', `must be an e-mail address${options.nullable ? ' or null' : ''}`, isEmail),
  );
}

/** One `@` between texts of any other characters; mail servers check the rest. */
const EMAIL = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/u;

function isEmail(value: unknown): boolean {
  return typeof value === 'string' && textFault(value, MAX_EMAIL_LENGTH) === undefined && EMAIL.test(value);
}

function faultOf(text: string, min: number, max: number): string | undefined {
  if (min > 1 && [...text].length < min) return `must be at least ${min} characters long`;
  return textFault(text, max);
}

function matches(form: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && form.test(value);
}

function isNotBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() !== '';
}
