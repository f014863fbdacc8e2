import { types } from 'pg';
import { ISO_TIMES, toIsoTime } from './iso-times';

const { TIMESTAMPTZ } = types.builtins;

describe(toIsoTime.name, () => {
  it.each([
    '2026-11-21 17:13:02.123+00',
    '2026-11-21 17:13:02.12+00',
    '2026-11-21 17:13:02.1+00',
    '2026-11-21 17:13:02+00',
    '2026-11-21 17:13:02.123456+00',
    '2026-11-21 17:13:02.123+01',
    '2026-11-21 17:13:02+05:30',
    '12026-11-21 17:13:02.12+00',
    '0044-03-15 12:00:00.5+00 BC',
  ])('writes %s as a Date does', (text) => {
    const date = types.getTypeParser(TIMESTAMPTZ, 'text')(text) as Date;
    expect(toIsoTime(text)).toBe(date.toISOString());
  });

  it('leaves columns of other types unchanged', () => {
    expect(ISO_TIMES.getTypeParser(TIMESTAMPTZ, 'text')).toBe(toIsoTime);
    expect(ISO_TIMES.getTypeParser(types.builtins.INT4, 'text')('7')).toBe(7);
  });
});
