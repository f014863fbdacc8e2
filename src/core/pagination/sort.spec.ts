import { orderBy, orderOf, parseSort, sortFault } from './sort';

const COLUMNS = { created_at: 'created_at', timestamp: 'created_at', name: 'participant_name' };

describe(parseSort.name, () => {
  it('breaks ties by id, in the direction of the first field', () => {
    expect(orderBy(parseSort('-created_at', COLUMNS))).toBe('created_at DESC, id DESC');
    expect(orderBy(parseSort('name,-created_at', COLUMNS))).toBe('participant_name ASC, created_at DESC, id ASC');
  });

  it('ignores a column that is already sorted by, even under another name', () => {
    expect(orderBy(parseSort('-timestamp,name,created_at,-name', COLUMNS))).toBe(
      'created_at DESC, participant_name ASC, id DESC',
    );
  });
});

describe(orderOf.name, () => {
  it('sorts nulls last in both directions, and keeps an order that an index has', () => {
    const order = (sort: string) =>
      orderOf(parseSort(sort, COLUMNS), 'item', (column) => column === 'participant_name');
    expect(order('name')).toEqual({ 'item.participant_name': 'ASC', 'item.id': 'ASC' });
    expect(order('-name,-created_at')).toEqual({
      'item.participant_name': { order: 'DESC', nulls: 'NULLS LAST' },
      'item.created_at': 'DESC',
      'item.id': 'DESC',
    });
  });
});

describe(sortFault.name, () => {
  it.each(['created_at', '-timestamp', 'name,-created_at'])('accepts %j', (sort) => {
    expect(sortFault(sort, COLUMNS)).toBeUndefined();
  });

  it.each(['', 'id', 'created_at;drop', '--created_at', 'created_at,', 'constructor', '__proto__'])(
    'refuses %j',
    (sort) => {
      expect(sortFault(sort, COLUMNS)).toBe('must name fields of created_at, timestamp, name');
    },
  );
});
