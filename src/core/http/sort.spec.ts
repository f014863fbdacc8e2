import { orderBy, parseSort } from './sort';

const COLUMNS = { created_at: 'created_at', name: 'participant_name' };

describe(parseSort.name, () => {
  it('breaks ties by id, in the direction of the first field', () => {
    expect(orderBy(parseSort('-created_at', COLUMNS))).toBe('created_at DESC, id DESC');
    expect(orderBy(parseSort('name,-created_at', COLUMNS))).toBe('participant_name ASC, created_at DESC, id ASC');
  });

  it.each(['', 'id', 'created_at;drop', '--created_at', 'created_at,', 'constructor', '__proto__'])(
    'refuses %j',
    (sort) => {
      expect(() => parseSort(sort, COLUMNS)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
    },
  );

  it('refuses a field named twice', () => {
    expect(() => parseSort('name,-name', COLUMNS)).toThrow('must name each field once');
  });
});
