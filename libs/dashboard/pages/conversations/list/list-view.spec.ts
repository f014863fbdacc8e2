import { queryOf } from './list-view';

describe(queryOf.name, () => {
  it.each([
    ['+49 170 123-4567', '491701234567'],
    ['(0170) 123 4567', '01701234567'],
    ['Ada', 'Ada'],
    ['4711', '4711'],
  ])('searches for %s as %s', (q, asked) => {
    expect(queryOf({ q })).toEqual({ expand: 'last_message', q: asked });
  });

  it('selects the unanswered conversations', () => {
    expect(queryOf({ show: 'unanswered' })).toEqual({ expand: 'last_message', unanswered: true });
  });
});
