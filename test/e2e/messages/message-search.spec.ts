import { MessageIndex } from '../../../src/messages/list/message-index.service';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

describe('GET /messages?q=', () => {
  const gateway = useGateway();
  const call = <Data>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });

  const TEXTS = [
    'Do you sell umbrellas? The RED one.',
    'Order 4711-B is late, I want a refund!',
    'Große Straße, Café crème, naïve ŁÓDŹ',
    '私は東京に行きます',
    'Ὀδυσσεύς и Ёлка',
    `word ${'x'.repeat(3_000)} end`,
    'mail ada@example.com or https://shop.example.com/cart?id=99',
  ];
  let conversation: string;

  beforeAll(async () => {
    await call('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    for (const content of TEXTS) {
      const sender = { id: '1001', name: 'Ada' };
      const { body } = await call<{ conversation_id: string }>('POST', '/sandbox/inbound', {
        platform: 'telegram',
        sender,
        content,
      });
      conversation = body.data.conversation_id;
    }
  });

  const list = (q: string, more = '') =>
    call<{ content: string }[]>('GET', `/messages?q=${encodeURIComponent(q)}${more}`);
  const found = async (q: string, more = '') => {
    const { status, body } = await list(q, more);
    expect([status, body.meta]).not.toHaveProperty('warnings');
    expect(body.meta.pagination.total).toBe(body.data.length);
    return body.data.map(({ content }) => TEXTS.indexOf(content));
  };

  it.each([
    ['a word', 'umbrellas', [0]],
    ['the beginning of the last word', 'red umb', [0]],
    ['words in another order', 'one red sell', [0]],
    ['a number', '4711', [1]],
    ['a word that ends in the middle only if it is the last one', 'umb red', []],
    ['no middle of a word', 'mbrella', []],
    ['signs between words', 'refund, 4711!', [1]],
    ['an accent that the query lacks', 'creme cafe', [2]],
    ['an accent that the text lacks', 'ümbrellas', [0]],
    ['letters that fold into several', 'STRASSE', [2]],
    ['letters without a decomposition', 'lodz', [2]],
    ['full-width letters', 'ｒｅｄ', [0]],
    ['a run of a script without spaces', '東京', [3]],
    ['a longer run', '京に行き', [3]],
    ['one letter of such a script', '京', [3]],
    ['the last letter of such a text', 'す', [3]],
    ['no letters in another order', '京東', []],
    ['pairs that the text has apart', '私は東京に行', [3]],
    ['Greek', 'οδυσσευς', [4]],
    ['Cyrillic', 'ёлка', [4]],
    ['words beside a very long one', 'word end', [5]],
    ['a part of an address', 'example ada', [6]],
    ['what SQL would take for a pattern', "%' & | ! red", [0]],
  ])('finds %s: %s', async (_, q, indexes) => {
    expect(await found(q)).toEqual(indexes);
  });

  it('lists the newest first, in pages, with other filters', async () => {
    expect(await found('e')).toEqual(
      [5, 6].toSorted((one, next) => next - one).filter((index) => /\be/i.test(TEXTS[index]!)),
    );
    const { body } = await list('w', '&per_page=1&page=2');
    expect(body.meta.pagination).toEqual({ page: 2, per_page: 1, total: 2, total_pages: 2 });
    expect(body.data.map(({ content }) => TEXTS.indexOf(content))).toEqual([1]);
    expect(await found('red', '&platform=discord')).toEqual([]);
    expect(await found('red', `&conversation_id=${conversation}&direction=inbound&sort=created_at`)).toEqual([0]);
    expect(await found('red', '&status=sent')).toEqual([]);
    expect(await found('red', '&start_date=2020-01-01&end_date=2020-01-31')).toEqual([]);
  });

  it.each(['?!', ' ', '🙂'])('refuses a query without a word: %j', async (q) => {
    const { status, body } = await list(q);
    expect([status, body]).toMatchObject([400, { error: { code: 'INVALID_PARAMETER', details: { parameter: 'q' } } }]);
  });

  it('does not find erased messages', async () => {
    const sender = { id: '2002', name: 'Eve' };
    const { body } = await call<{ conversation_id: string }>('POST', '/sandbox/inbound', {
      platform: 'telegram',
      sender,
      content: 'My secret is parsimony',
    });
    expect((await list('parsimony')).body.data).toHaveLength(1);
    await call('DELETE', `/conversations/${body.data.conversation_id}`);
    await eventually('the text is gone', async () => expect((await list('parsimony')).body.data).toEqual([]));
  });

  it('reports while its index is built that it searched only the newest messages', async () => {
    const index = gateway.app.get(MessageIndex);
    await gateway.sql('DROP INDEX messages_words');
    Object.assign(index, { isBuilt: false });
    const { body } = await list('umbrellas');
    expect(body.data).toHaveLength(1);
    expect((body.meta as unknown as { warnings: object[] }).warnings).toMatchObject([{ code: 'SEARCH_INCOMPLETE' }]);
    await index['tend'](new AbortController().signal);
    expect(await found('umbrellas')).toEqual([0]);
  });

  it('splits only the texts that have the letters of the words: a frequent beginning reads many messages', async () => {
    await gateway.sql(`
      ALTER FUNCTION message_words(text) RENAME TO real_message_words;
      CREATE FUNCTION message_words(content text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT COST 200 AS $$
      BEGIN
        IF content LIKE 'Order 4711%' THEN RAISE 'this text was split'; END IF;
        RETURN real_message_words(content);
      END $$`);
    try {
      expect(await found('one umb')).toEqual([0]);
      expect(await found('UMBRELLAS')).toEqual([0]);
    } finally {
      await gateway.sql('DROP FUNCTION message_words; ALTER FUNCTION real_message_words RENAME TO message_words');
    }
  });
});
