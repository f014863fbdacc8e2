import { WHATSAPP_TABLES } from '../../libs/platforms/whatsapp/inbound/inbound-tables';
import type { RecordingSink } from './recording-sink';
import { about, WhatsAppCallbacks } from './whatsapp-callbacks';
import { EXAMPLES, PERSON } from './whatsapp-inbound.examples';

const ROWS = WHATSAPP_TABLES.flatMap(({ title, rows }) =>
  rows.map(({ kind, becomes, words }) => ({ title, kind, becomes, words })),
);
const USER_ID = 'MX.30000000001';

/** The outcomes of a callback, in the words of the tables. */
function outcomesOf(sink: RecordingSink): string[] {
  const { messages, echoes, changes, migrations, preferences, reactions, receipts, notices, leftOut } = sink;
  const lists = {
    message: [messages, echoes],
    change: [changes, migrations, preferences],
    reaction: [reactions],
    receipt: [receipts],
    notice: [notices],
    counted: [leftOut],
  };
  return Object.entries(lists).flatMap(([outcome, given]) => (given.flat().length > 0 ? [outcome] : []));
}

describe('A WhatsApp callback', () => {
  const callbacks = new WhatsAppCallbacks();
  const { session } = callbacks;
  beforeEach(() => session.open());
  afterEach(() => session.close());
  const receive = (message: object, contact?: object) => callbacks.receive(message, contact);
  const tell = (field: string, value: object) => callbacks.tell(field, value);

  it.each(ROWS)('$title: $kind becomes a $becomes', async ({ title, kind, becomes }) => {
    const example = EXAMPLES[title]?.[kind];
    if (!example) throw new Error(`the row has no example: add one to whatsapp-inbound.examples.ts`);
    await tell(example.field, about(example.value));
    expect(outcomesOf(session.sink)).toEqual([becomes]);
  });

  it.each(ROWS.filter(({ becomes, words }) => becomes === 'message' && words?.startsWith('[')))(
    '$title: $kind has the text $words',
    async ({ title, kind, words }) => {
      const { field, value } = EXAMPLES[title]![kind]!;
      await tell(field, about(value));
      expect(session.sink.messages[0]?.content).toContain(/^\[[\w ]+/.exec(words!)?.[0]);
    },
  );

  it('has examples only for rows of the table', () => {
    for (const [title, examples] of Object.entries(EXAMPLES))
      expect(Object.keys(examples).toSorted()).toEqual(
        ROWS.filter((row) => row.title === title)
          .map(({ kind }) => kind)
          .toSorted(),
      );
  });

  it.each(['sphere', 'constructor', 'toString', 'poll'])(
    'becomes an unsupported message for the new type %s',
    async (type) => {
      await receive({ type, [type]: { id: '1' } });
      expect(session.sink.messages).toMatchObject([
        { content: `[unsupported message: ${type}]`, kind: 'other', expectsReply: false },
      ]);
    },
  );

  it.each([
    ['new_field', 'new_field'],
    ['constructor', 'constructor'],
    ['no label\n', 'unknown'],
  ])('is counted for the new field %j', async (field, kind) => {
    await tell(field, about({ anything: 1 }));
    expect(session.sink.leftOut).toEqual([kind]);
    expect(outcomesOf(session.sink)).toEqual(['counted']);
  });

  it('is counted if it is empty', async () => {
    await tell('messages', about({}));
    expect(session.sink.leftOut).toEqual(['messages']);
  });

  it('for an unknown number stores nothing, and reports the number once', async () => {
    const value = {
      metadata: { display_phone_number: '15550000002', phone_number_id: '200000000000002' },
      contacts: [{ profile: { name: 'Zed' }, wa_id: '4917099900001' }],
      messages: [1, 2].map((id) => ({
        from: '4917099900001',
        id: `wamid.OTHER${id}==`,
        timestamp: '1795860000',
        type: 'text',
        text: { body: 'to your second number' },
      })),
    };
    const changes = [1, 2].map(() => ({ field: 'messages', value }));
    expect(await callbacks.post({ entry: [{ id: '419561257915477', changes }] })).toBe(200);
    expect(session.sink.unknownAccounts).toEqual(['200000000000002']);
    expect(outcomesOf(session.sink)).toEqual([]);
  });

  describe('with a message', () => {
    const item = (product_retailer_id: string, quantity: unknown, item_price?: unknown, currency: unknown = 'EUR') => ({
      product_retailer_id,
      quantity,
      item_price,
      currency,
    });
    const order = async (product_items: object[], more: object = { catalog_id: '77' }) => {
      await receive({ type: 'order', order: { product_items, ...more } });
      return session.sink.messages[0]!;
    };

    it('lists the ordered products, with the sum and the catalog', async () => {
      const message = await order([item('SKU-9', 2, 12.5), item('SKU-4', 1, 3)], {
        catalog_id: '77',
        text: 'please before noon',
      });
      expect(message).toMatchObject({
        content: '[order] 2 x SKU-9 at 12.5 EUR, 1 x SKU-4 at 3 EUR, total 28 EUR; catalog 77\nplease before noon',
        expectsReply: true,
        data: {
          order: {
            catalog_id: '77',
            items: [
              { product_id: 'SKU-9', quantity: 2, price: 12.5, currency: 'EUR' },
              { product_id: 'SKU-4', quantity: 1, price: 3, currency: 'EUR' },
            ],
            total: 28,
          },
        },
      });
    });

    it.each<[string, object[], string, number | null]>([
      [
        'without the noise of fractions',
        [item('A', 3, 1.1), item('B', 1, 0.2)],
        '3 x A at 1.1 EUR, 1 x B at 0.2 EUR, total 3.5 EUR',
        3.5,
      ],
      ['whose numbers are texts', [item('A', '2', '499.00', 'INR')], '2 x A at 499 INR, total 998 INR', 998],
      ['in two currencies', [item('A', 1, 1), item('B', 1, 1, 'USD')], '1 x A at 1 EUR, 1 x B at 1 USD', null],
      ['without a price', [item('A', 2)], '2 x A', null],
      ['without a quantity', [item('A', null, 5)], 'A at 5 EUR', null],
    ])('sums up an order %s', async (_, items, words, total) => {
      const message = await order(items);
      expect(message.content).toBe(`[order] ${words}; catalog 77`);
      expect(message.data?.order?.total).toBe(total);
    });

    it('keeps at most 16 KiB of an order', async () => {
      const message = await order(Array.from({ length: 1_000 }, () => item('x'.repeat(1_000), 1, 1)));
      expect(Buffer.byteLength(JSON.stringify(message.data))).toBeLessThanOrEqual(16_384);
      expect(message.data?.order?.total).toBe(1_000);
    });

    it('keeps the ad that led to it and the product that it is about', async () => {
      await receive({
        type: 'text',
        text: { body: 'Is it still there?' },
        context: {
          from: '15550783881',
          id: 'wamid.0',
          referred_product: { catalog_id: '77', product_retailer_id: 'SKU-9' },
        },
        referral: {
          source_url: 'https://fb.me/1',
          source_type: 'ad',
          source_id: '120',
          headline: 'Summer sale',
          body: 'All shoes',
          ctwa_clid: 'Aff-1',
          media_type: 'image',
        },
      });
      expect(session.sink.messages).toMatchObject([
        {
          content: 'Is it still there?\n[from an ad: Summer sale, https://fb.me/1]\n[about the product SKU-9]',
          data: {
            referral: {
              source_url: 'https://fb.me/1',
              source_type: 'ad',
              source_id: '120',
              headline: 'Summer sale',
              body: 'All shoes',
              click_id: 'Aff-1',
            },
            product: { catalog_id: '77', product_id: 'SKU-9' },
          },
          replyTo: { platformMessageId: 'wamid.0' },
        },
      ]);
    });

    it.each([
      [
        { type: 'call_permission_reply', call_permission_reply: { response: 'accept', is_permanent: false } },
        '[call permission]\nresponse: accept\nis_permanent: false',
        true,
      ],
      [
        { type: 'call_permission_reply', call_permission_reply: { response: 'accept', response_source: 'automatic' } },
        '[call permission]\nresponse: accept\nresponse_source: automatic',
        false,
      ],
      [
        { type: 'payment_method', payment_method: { payment_method: 'pix', reference_id: '7' } },
        '[payment method]\npayment_method: pix\nreference_id: 7',
        true,
      ],
      [{ type: 'nothing' }, '[unsupported message: interactive]', false],
    ])('describes the reply %j', async (interactive, content, expectsReply) => {
      await receive({ type: 'interactive', interactive });
      expect(session.sink.messages).toMatchObject([{ content, expectsReply }]);
    });

    it('names the quoted message and its author', async () => {
      await receive({
        type: 'text',
        text: { body: 'this one please' },
        context: { from: '+15550783881', id: 'wamid.OURS==' },
      });
      expect(session.sink.messages).toMatchObject([
        {
          content: 'this one please',
          replyTo: { platformMessageId: 'wamid.OURS==', sender: { id: '15550783881', name: null, username: null } },
        },
      ]);
    });

    it.each([{ forwarded: true }, { frequently_forwarded: true }, null, 'x'])(
      'quotes nothing in the context %j',
      async (context) => {
        await receive({ type: 'text', text: { body: 'Look' }, context });
        expect(session.sink.messages[0]).not.toHaveProperty('replyTo');
      },
    );

    it('changes the earlier message that it edits', async () => {
      await receive({ type: 'text', text: { body: 'three crates' } });
      const message = { type: 'text', text: { body: 'thirteen crates' } };
      await receive({ id: 'wamid.2', type: 'edit', edit: { original_message_id: 'wamid.FIELD01==', message } });
      expect(session.sink.changes).toEqual([
        {
          platformMessageId: 'wamid.FIELD01==',
          authorId: PERSON,
          content: 'thirteen crates',
          at: new Date(1_795_860_000_000),
        },
      ]);
      expect(session.sink.messages).toHaveLength(1);
    });

    it('finds the conversation of an echo whose number has a plus', async () => {
      expect(EXAMPLES['Fields of callbacks']!['smb_message_echoes']!.value).toMatchObject({
        message_echoes: [{ to: `+${PERSON}` }],
      });
      await tell('smb_message_echoes', about(EXAMPLES['Fields of callbacks']!['smb_message_echoes']!.value));
      expect(session.sink.echoes).toMatchObject([{ participant: { id: PERSON }, sender: { id: '15550783881' } }]);
    });

    it('does not take a payment for a status, so a failed payment fails no message', async () => {
      const payment = {
        reference_id: 'order-7',
        amount: { value: 2_100, offset: 100 },
        currency: 'INR',
        transaction: { id: 't1' },
      };
      const status = {
        id: 'wamid.0',
        type: 'payment',
        status: 'failed',
        timestamp: '1795860000',
        recipient_id: PERSON,
        payment,
      };
      await tell('messages', about({ statuses: [status] }));
      expect(session.sink.receipts).toEqual([]);
      expect(session.sink.messages).toMatchObject([
        {
          content: '[payment] failed 21 INR for order-7',
          expectsReply: false,
          data: { payment: { status: 'failed', ...payment } },
        },
      ]);
    });
  });

  describe('about the ids of a person', () => {
    const userId = { user_id: USER_ID };
    const changed = (system: object, more: object = {}) => receive({ type: 'system', system, ...more }, userId);

    it.each([
      ['named', { previous_user_id: USER_ID }, { from_user_id: USER_ID }],
      ['the sender', {}, { from_user_id: USER_ID }],
      ['in the text alone', { body: `User changed from A to B changed from ${USER_ID} to MX.30000000002` }, {}],
    ])('moves the conversation to a new user id, the old one %s, and stores no message', async (_, more, sender) => {
      await changed({ type: 'user_changed_user_id', user_id: 'MX.30000000002', ...more }, sender);
      expect(session.sink.migrations).toEqual([[USER_ID, 'MX.30000000002']]);
      expect(session.sink.attempts).toEqual([]);
    });

    it('also moves it to a new number, under the new user id', async () => {
      const system = { type: 'user_changed_number', wa_id: '491709999999', user_id: 'MX.30000000002' };
      await receive({ type: 'system', system, from_user_id: USER_ID });
      expect(session.sink.migrations).toEqual([
        [PERSON, '491709999999'],
        [USER_ID, '491709999999'],
        ['MX.30000000002', '491709999999'],
      ]);
      await receive(
        { type: 'text', text: { body: 'Me' }, from_user_id: 'MX.30000000002' },
        { user_id: 'MX.30000000002' },
      );
      expect(session.sink.messages).toMatchObject([{ participant: { id: '491709999999' } }]);
    });

    it.each([
      { type: 'user_changed_user_id' },
      { type: 'user_changed_user_id', user_id: 'MX.2', body: 'x from MX.1 to MX.3' },
    ])('is counted if it lacks an id: %j', async (system) => {
      await tell('messages', about({ messages: [{ id: 'wamid.1', timestamp: '1795860000', type: 'system', system }] }));
      expect(session.sink.leftOut).toEqual(['system_user_changed_user_id']);
      expect(session.sink.migrations).toEqual([]);
    });
  });

  it('reloads the templates when they may have changed', async () => {
    await tell('message_template_components_update', {});
    await tell('account_review_update', { decision: 'APPROVED' });
    expect(session.sink.templateChanges).toBe(1);
  });
});
