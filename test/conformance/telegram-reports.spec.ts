import type { InboundMessage } from '#platforms';
import { TelegramReceiver } from './telegram-receiver';

const nora = (id: number) => ({ id, is_bot: false, first_name: 'Nora' });
const message = (id: number, fields: object) => ({
  message: {
    message_id: 101,
    date: 1_795_860_000,
    from: nora(id),
    chat: { id, type: 'private', first_name: 'Nora' },
    ...fields,
  },
});

/** Inputs of people's reports about gateways, with what a message must become of them. */
describe('What Telegram sends, from bug reports', () => {
  const receiver = new TelegramReceiver();
  beforeAll(() => receiver.start());
  beforeEach(() => receiver.clear());
  afterAll(() => receiver.stop());

  async function received(update: object): Promise<InboundMessage> {
    expect(await receiver.receive(update)).toBe(200);
    expect(receiver.sink.messages).toHaveLength(1);
    return receiver.sink.messages[0]!;
  }

  it('a rich message is a text', async () => {
    const blocks = [
      { type: 'heading', size: 2, text: 'Order' },
      { type: 'paragraph', text: ['Please deliver ', { type: 'bold', text: 'three' }, ' crates on Monday'] },
      {
        type: 'list',
        items: ['apples', 'pears'].map((text) => ({ blocks: [{ type: 'paragraph', text }] })),
      },
    ];
    expect(await received(message(9_100_001, { rich_message: { blocks } }))).toMatchObject({
      content: 'Order\nPlease deliver three crates on Monday\n- apples\n- pears',
      kind: 'text',
      expectsReply: true,
    });
  });

  it('a hidden link keeps its address', async () => {
    const entities = [{ type: 'text_link', offset: 10, length: 7, url: 'https://example.org/inv/17' }];
    const shown = '🙂 see my invoice (https://example.org/inv/17) please';
    const text = '🙂 see my invoice please';
    expect(await received(message(9_100_002, { text, entities }))).toMatchObject({ content: shown });
    receiver.clear();
    const photo = { photo: [{ file_id: 'p', width: 1, height: 1 }], caption: text, caption_entities: entities };
    expect(await received(message(9_100_002, photo))).toMatchObject({ content: `[photo] ${shown}` });
  });

  it('a checklist shows its tasks', async () => {
    const tasks = [
      { id: 1, text: 'Keys' },
      { id: 2, text: 'Meter reading' },
    ];
    expect(await received(message(9_100_007, { checklist: { title: 'Move in', tasks } }))).toMatchObject({
      content: '[checklist] Move in: Keys / Meter reading',
      expectsReply: true,
    });
  });

  it('data of a web app is kept', async () => {
    const web_app_data = { data: '{"size":"M","qty":2}', button_text: 'Choose size' };
    expect(await received(message(9_100_009, { web_app_data }))).toMatchObject({
      content: '[web app] Choose size: {"size":"M","qty":2}',
      data: { web_app: web_app_data },
      expectsReply: true,
    });
  });

  it('payments and refunds are kept, and distinct', async () => {
    const payment = {
      currency: 'EUR',
      total_amount: 1999,
      invoice_payload: 'order-17',
      telegram_payment_charge_id: 't',
      provider_payment_charge_id: 'p',
    };
    const paid = await received(message(9_100_011, { successful_payment: payment }));
    expect(paid).toMatchObject({ content: '[payment] 19.99 EUR for order-17', expectsReply: true });
    expect(paid.data).toEqual({ payment });
    receiver.clear();
    const refunded = await received(message(9_100_011, { refunded_payment: payment }));
    expect(refunded.content).toBe('[payment refunded] 19.99 EUR for order-17');
    expect(refunded.data).toEqual({ payment: { ...payment, refunded: true } });
  });

  it('paid media have a text, and the files that the bot may see', async () => {
    const preview = { star_count: 5, paid_media: [{ type: 'preview' }] };
    const before = await received(message(9_100_008, { paid_media: preview, caption: 'exclusive' }));
    expect(before).toMatchObject({ content: '[paid media] 5 Stars: preview exclusive', expectsReply: true });
    expect(before.attachments).toBeUndefined();
    receiver.clear();
    const photo = [{ file_id: 'p', width: 1, height: 1 }];
    const bought = {
      star_count: 5,
      paid_media: [
        { type: 'photo', photo },
        { type: 'live_photo', live_photo: { photo } },
      ],
    };
    expect(await received(message(9_100_008, { paid_media: bought }))).toMatchObject({
      content: '[paid media] 5 Stars: photo, live photo',
      attachments: [
        { kind: 'image', ref: 'p' },
        { kind: 'image', ref: 'p' },
      ],
    });
  });

  it('shared people are named', async () => {
    const users_shared = { request_id: 1, users: [{ user_id: 5551, first_name: 'Mia' }] };
    expect(await received(message(9_100_010, { users_shared }))).toMatchObject({
      content: '[users shared] Mia (5551)',
      expectsReply: true,
    });
  });

  it('a message of an unknown kind is stored but not answered', async () => {
    expect(await received(message(9_100_018, { hologram_note: { file_id: 'h1' } }))).toMatchObject({
      content: '[unsupported message: hologram_note]',
      participant: { id: '9100018', name: 'Nora' },
      expectsReply: false,
    });
  });

  it('an update of an unknown kind is stored if it has a chat and an id, else counted', async () => {
    const { message: content } = message(9_100_018, { text: 'Hello' });
    expect(await received({ hologram_post: content })).toMatchObject({
      platformMessageId: '9100018:101',
      content: '[unsupported message: hologram_post]',
      expectsReply: false,
    });
    for (const update of [{ hologram: { id: 5 } }, { hologram: 5 }, { constructor: {} }, {}])
      expect(await receiver.receive(update)).toBe(200);
    expect(receiver.sink.leftOut).toEqual(Array.from({ length: 4 }, () => 'unknown_update'));
    expect(receiver.sink.messages).toHaveLength(1);
  });

  it('a reply has the text that the person selected', async () => {
    const reply_to_message = {
      message_id: 77,
      date: 1_795_760_001,
      from: { id: 777_000_777, is_bot: true, first_name: 'Field' },
      chat: { id: 9_100_004, type: 'private' },
      text: 'Opening 9. Delivery free above 50 euro. Returns 14 days.',
    };
    const quote = { text: 'Delivery free above 50 euro', position: 11, is_manual: true };
    const reply = { text: 'is this still right?', reply_to_message, quote };
    expect(await received(message(9_100_004, reply))).toMatchObject({
      content: 'is this still right?',
      replyTo: {
        platformMessageId: '9100004:77',
        sender: { id: '777000777', name: 'Field', username: null },
        content: 'Delivery free above 50 euro',
      },
    });
  });
});
