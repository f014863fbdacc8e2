import { DataSource } from 'typeorm';
import { ConversationSearch } from '../../../src/conversations/list/conversation-search.service';
import { useGateway } from '../../support/gateway';

describe('GET /conversations?q=', () => {
  const gateway = useGateway();
  const call = <Data>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });

  const PEOPLE = [
    { id: '1001', name: 'Ada Lovelace', username: 'countess' },
    { id: '1002', name: 'ÉMILIE du Châtelet', username: 'Emilie_D' },
    { id: '1003', name: 'Ὀδυσσεύς', username: null },
    { id: '1004', name: 'Jürgen Strauß', username: 'jay' },
    { id: '1005', name: '100% real', username: null },
    { id: '1006', name: null, username: 'Grace' },
    { id: '1007', name: 'Żółw', username: 'a_b' },
  ];

  beforeAll(async () => {
    await call('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    for (const { id, name, username } of PEOPLE) {
      const sender = { id, ...(name && { name }), ...(username && { username }) };
      await call('POST', '/sandbox/inbound', { platform: 'telegram', sender, content: 'Hello' });
    }
  });

  async function found(q: string, more = ''): Promise<string[]> {
    const { status, body } = await call<{ participant: { id: string } }[]>(
      'GET',
      `/conversations?sort=created_at&q=${encodeURIComponent(q)}${more}`,
    );
    expect([status, body.meta.pagination.total]).toEqual([200, body.data.length]);
    return body.data.map(({ participant }) => participant.id);
  }

  it.each([
    ['a name', 'lovelace', ['1001']],
    ['the middle of a name', 'LOVE', ['1001']],
    ['a username', 'ountes', ['1001']],
    ['an id', '003', ['1003']],
    ['letters with accents', 'émilie', ['1002']],
    ['another alphabet, with another letter at the end', 'ΔΥΣΣΕΎΣ', ['1003']],
    ['letters that fold into several', 'STRAUSS', ['1004']],
    ['letters beyond Latin-1', 'żÓŁW', ['1007']],
    ['what LIKE would take for a pattern', '0% r', ['1005']],
    ['an underscore', 'e_d', ['1002']],
    ['several', '100', ['1001', '1002', '1003', '1004', '1005', '1006', '1007']],
    ['nothing', 'nobody', []],
  ])('finds %s: %j', async (_, q, ids) => {
    expect(await found(q)).toEqual(ids);
  });

  it.each([
    ['g', ['1006']],
    ['ad', ['1001']],
    ['É', ['1002']],
    ['ov', []],
    ['0%', []],
    ['_', []],
  ])('matches the beginning of a name for one or two characters: %j', async (q, ids) => {
    expect(await found(q)).toEqual(ids);
  });

  it('combines with other filters, pages, and the environment of the key', async () => {
    expect(await found('100', '&platform=whatsapp')).toEqual([]);
    const { body } = await call<object[]>('GET', '/conversations?q=100&per_page=2&page=2');
    expect([body.data.length, body.meta.pagination.total]).toEqual([2, 7]);
    const live = await gateway.api<object[]>('GET', '/conversations?q=lovelace');
    expect(live.body.data).toEqual([]);
  });

  it('follows a changed name', async () => {
    const sender = { id: '1006', name: 'Grace Hopper', username: 'amazing' };
    await call('POST', '/sandbox/inbound', { platform: 'telegram', sender, content: 'Hello' });
    expect(await found('hopper')).toEqual(['1006']);
    expect(await found('maz')).toEqual(['1006']);
  });

  it('refuses an empty text and one of more than 100 characters', async () => {
    for (const q of ['', 'x'.repeat(101)]) expect((await call('GET', `/conversations?q=${q}`)).status).toBe(400);
    expect(await found('x'.repeat(100))).toEqual([]);
  });

  it('matches beginnings only if pg_trgm cannot be created', async () => {
    const query = (sql: string) =>
      Promise.resolve(
        sql.includes('to_regclass') ? [{ isThere: false }] : Promise.reject(new Error('permission denied')),
      );
    const without = { query, transaction: () => Promise.reject(new Error('permission denied')) };
    const search = new ConversationSearch(without as unknown as DataSource);
    await search.onModuleInit();
    expect(search.patternOf('love')).toBe('love%');
  });
});
