import type { Parser } from './parsers';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  minimum: number;
  maximum: number;
  /** Words for the numbers from `minimum` on. */
  names?: readonly string[];
}

const SECOND: Field = { minimum: 0, maximum: 59 };
const FIELDS: readonly Field[] = [
  { minimum: 0, maximum: 59 },
  { minimum: 0, maximum: 23 },
  { minimum: 1, maximum: 31 },
  { minimum: 1, maximum: 12, names: MONTHS },
  { minimum: 0, maximum: 7, names: DAYS },
];

/** A crontab(5) schedule: five fields, or six with seconds before them, as BullMQ's job schedulers take it. */
export const cron: Parser<string> = {
  accepts: 'a cron schedule of five or six fields, like 0 3 * * *',
  parse: (text) => {
    const parts = text.split(/\s+/);
    const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
    if (parts.length !== fields.length) return undefined;
    return fields.every((field, index) => acceptsField(field, parts[index] ?? '')) ? parts.join(' ') : undefined;
  },
};

function acceptsField(field: Field, text: string): boolean {
  return text.split(',').every((term) => {
    const match = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/([1-9]\d?))?$/.exec(term);
    if (!match) return false;
    const [, first, last] = match;
    if (first === undefined) return true;
    const from = valueOf(field, first);
    const to = last === undefined ? from : valueOf(field, last);
    return from !== undefined && to !== undefined && from <= to;
  });
}

function valueOf(field: Field, text: string): number | undefined {
  const index = field.names?.indexOf(text.toLowerCase()) ?? -1;
  const value = index >= 0 ? index + field.minimum : /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  return value >= field.minimum && value <= field.maximum ? value : undefined;
}
