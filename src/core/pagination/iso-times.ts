import { types, type CustomTypesConfig } from 'pg';

const toDate = types.getTypeParser(types.builtins.TIMESTAMPTZ, 'text') as (text: string) => Date;
/** The format of a server in UTC for whole milliseconds: `2026-11-21 17:13:02.12+00`, without trailing zeros. */
const IN_UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/** `timestamptz` as ISO 8601 text in UTC, to the millisecond. */
export function toIsoTime(text: string): string {
  // The common case, without a `Date`: parsing and formatting one took a twentieth of the time of a list.
  if (text.length === 26 && text[10] === ' ' && text.endsWith('+00'))
    return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
  const [, day, time, fraction = ''] = IN_UTC.exec(text) ?? [];
  return day === undefined ? toDate(text).toISOString() : `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
}

/** For a statement whose rows go to the client unchanged: it reads timestamps as ISO 8601 text instead of `Date`. */
export const ISO_TIMES: CustomTypesConfig = {
  getTypeParser: ((id: Parameters<typeof types.getTypeParser>[0], format: 'text' | 'binary' = 'text') =>
    id === types.builtins.TIMESTAMPTZ && format === 'text'
      ? toIsoTime
      : types.getTypeParser(id, format)) as typeof types.getTypeParser,
};
