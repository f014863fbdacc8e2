import { windowInWords } from './window-words';

const NOW = Date.parse('2026-11-25T12:00:00.000Z');

describe(windowInWords.name, () => {
  it.each([
    ['2026-11-25T15:12:00.000Z', true, 'Window open for 3 h 12 min'],
    ['2026-11-25T12:00:00.000Z', false, 'Window closed: only templates'],
    [null, false, 'Window unknown: the person has not written yet'],
  ])('until %s: %s, %s', (expires_at, isOpen, text) => {
    expect(windowInWords({ open: true, expires_at }, NOW)).toEqual({ isOpen, text });
  });
});
