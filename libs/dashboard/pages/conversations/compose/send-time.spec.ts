import { faultOfTime, localTime } from './send-time';

const NOW = Date.parse('2026-11-25T12:00:00.000Z');
const DAY = 86_400_000;

describe(faultOfTime.name, () => {
  it('accepts a time within 30 days, in the time zone of the browser', () => {
    expect(Date.parse(localTime(NOW))).toBe(NOW);
    expect(faultOfTime(localTime(NOW + DAY), NOW)).toBeUndefined();
    expect(faultOfTime(localTime(NOW - DAY), NOW)).toBe('This time has passed.');
    expect(faultOfTime(localTime(NOW + 31 * DAY), NOW)).toBe('This is more than 30 days ahead.');
    expect(faultOfTime('', NOW)).toBe('Choose a day and a time.');
  });
});
