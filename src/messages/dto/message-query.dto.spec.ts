import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { MessageListQuery } from './message-query.dto';

/** What the decorators make of a query, or undefined where they refuse it. */
function decorated(query: object): MessageListQuery | undefined {
  const instance = plainToInstance(MessageListQuery, query, { exposeDefaultValues: true, groups: ['query'] });
  const faults = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  return faults.length === 0 ? instance : undefined;
}

describe('MessageListQuery.fromValid', () => {
  it.each([
    {},
    { page: '1', per_page: '100' },
    { page: '2147483648' },
    { page: '007' },
    { platform: 'the service', direction: 'inbound' },
    { platform: 'all', direction: 'all' },
    { start_date: '2026-01-01', end_date: '2026-01-01' },
    { start_date: '2026-01-01T00:00:00.5+02:00' },
    { conversation_id: 'x'.repeat(100) },
  ])('makes what the decorators make: %j', (query) => {
    const accepted = MessageListQuery.fromValid(query);
    expect(accepted).toBeInstanceOf(MessageListQuery);
    expect({ ...accepted }).toEqual({ ...decorated(query) });
  });

  it.each<Record<string, unknown>>([
    { page: '0' },
    { page: '-1' },
    { page: '' },
    { page: '1.5' },
    { page: ['1', '2'] },
    { page: '2147483649' },
    { page: '99999999999999999999' },
    { per_page: '101' },
    { per_page: '1e1' },
    { platform: 'signal' },
    { platform: 'constructor' },
    { direction: 'sideways' },
    { direction: '' },
    { start_date: '2026-02-30' },
    { end_date: 'tomorrow' },
    { start_date: '2026-01-02', end_date: '2026-01-01' },
    { conversation_id: '' },
    { conversation_id: 'x'.repeat(101) },
    { conversation_id: 'a\u0000b' },
    { surprise: '1' },
  ])('accepts nothing that they refuse: %j', (query) => {
    expect(decorated(query)).toBeUndefined();
    expect(MessageListQuery.fromValid(query)).toBeUndefined();
  });

  it('accepts no name that every object inherits, which class-transformer would pass over', () => {
    expect(MessageListQuery.fromValid({ constructor: '1' })).toBeUndefined();
  });

  it('leaves a sort to the decorators', () => {
    expect(MessageListQuery.fromValid({ sort: '-created_at' })).toBeUndefined();
    expect(decorated({ sort: '-created_at' })).toMatchObject({ sort: '-created_at' });
  });
});
