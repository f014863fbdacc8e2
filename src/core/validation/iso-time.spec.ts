import { endOf, isIsoTime } from './iso-time';

describe(isIsoTime.name, () => {
  it.each(['2026-01-31', '2024-02-29', '2026-01-31T10:00Z', '2026-01-31T10:00:00.123Z', '2026-01-31T10:00:00+02:00'])(
    'accepts %s',
    (text) => expect(isIsoTime(text)).toBe(true),
  );

  it.each([
    '',
    'today',
    '2026-1-31',
    '2026-02-30',
    '2026-13-01',
    '2026-01-31T25:00Z',
    '2026-01-31T10:00:00',
    '31.01.2026',
    '1767225600',
    '+275760-09-13',
  ])('refuses %j', (text) => expect(isIsoTime(text)).toBe(false));
});

describe(endOf.name, () => {
  it('includes the whole UTC day of a bare date', () => {
    expect(endOf('2026-01-31')).toEqual(new Date('2026-02-01T00:00:00Z'));
  });

  it('includes the given millisecond of a timestamp', () => {
    expect(endOf('2026-01-31T10:00:00Z')).toEqual(new Date('2026-01-31T10:00:00.001Z'));
  });
});
