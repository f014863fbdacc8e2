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

  it('takes of each fact the newest, in either order', () => {
    expect(together(early, late)).toEqual(newest);
    expect(together(late, early)).toEqual(newest);
  });

  it('forgets nothing for what is not known', () => {
    expect(together(early, NOTHING_KNOWN)).toEqual(early);
    expect(together(NOTHING_KNOWN, early)).toEqual(early);
  });

  it('takes the one heard last of two at the same time', () => {
    const again = seen({ lastErrorAt: 20, lastErrorCode: 'again', lastError: 'Again.' });
    expect(together(early, again)).toMatchObject({ lastErrorCode: 'again', lastSuccessAt: 10, backlog: 7 });
  });
});
