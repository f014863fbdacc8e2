import * as fc from 'fast-check';
import { endOf, isIsoTime, ISO_TIME } from './iso-time';

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
    '2023-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-01-31T24:00Z',
    '2026-01-31T10:60Z',
    '2026-01-31T10:00:60Z',
    '2026-01-31T10:00+24:00',
    '2026-13-01',
    '2026-01-31T25:00Z',
    '2026-01-31T10:00:00',
    '31.01.2026',
    '1767225600',
    '+275760-09-13',
  ])('refuses %j', (text) => expect(isIsoTime(text)).toBe(false));
});

describe('ISO_TIME', () => {
  it('matches only what Date parses to exactly that time', () => {
    const times = fc.stringMatching(ISO_TIME, { size: 'medium' });
    fc.assert(
      fc.property(times, (text) => {
        const time = new Date(text);
        expect([text, time.getTime()]).not.toContain(NaN);
        expect([text.slice(0, 10), new Date(text.slice(0, 10)).toISOString().slice(0, 10)]).toEqual([
          text.slice(0, 10),
          text.slice(0, 10),
        ]);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe(endOf.name, () => {
  it('includes the whole UTC day of a bare date', () => {
    expect(endOf('2026-01-31')).toEqual(new Date('2026-02-01T00:00:00Z'));
  });

  it('includes the given millisecond of a timestamp', () => {
    expect(endOf('2026-01-31T10:00:00Z')).toEqual(new Date('2026-01-31T10:00:00.001Z'));
  });
});
