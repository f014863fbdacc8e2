import { NOTHING_KNOWN, together, type DirectionHealth } from './direction-health';

describe(together.name, () => {
  const seen = (health: Partial<DirectionHealth>): DirectionHealth => ({ ...NOTHING_KNOWN, ...health });
  const early = seen({
    lastSuccessAt: 10,
    lastErrorAt: 20,
    lastErrorCode: 'old',
    lastError: 'Old.',
    backlog: 7,
    backlogAt: 5,
  });
  const late = seen({
    lastSuccessAt: 5,
    lastErrorAt: 30,
    lastErrorCode: 'new',
    lastError: 'New.',
    backlog: 0,
    backlogAt: 6,
  });
  const newest = { ...late, lastSuccessAt: 10 };

  it('keeps the newest value of each fact, in either order', () => {
    expect(together(early, late)).toEqual(newest);
    expect(together(late, early)).toEqual(newest);
  });

  it('keeps known values if the other side has none', () => {
    expect(together(early, NOTHING_KNOWN)).toEqual(early);
    expect(together(NOTHING_KNOWN, early)).toEqual(early);
  });

  it('keeps the second of two errors with the same time', () => {
    const again = seen({ lastErrorAt: 20, lastErrorCode: 'again', lastError: 'Again.' });
    expect(together(early, again)).toMatchObject({ lastErrorCode: 'again', lastSuccessAt: 10, backlog: 7 });
  });
});
