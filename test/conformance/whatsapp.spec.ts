import type { CallbackRequest } from '#platforms';
import { describeAdapter } from './adapter.conformance';
import { failureOf, PLAIN, Session } from './session';
import { WhatsAppHarness } from './whatsapp.harness';

/** Types of messages that expect no reply. */
const SILENT = new Set(['unsupported', 'poll_creation', 'ephemeral']);

const NOT_APPLICABLE = {
  conflict: 'WhatsApp calls us: any number of instances may be called',
  'rejected markup': 'WhatsApp finds fault with no markup',
  silent: 'the Cloud API has no silent messages',
};
describeAdapter('WhatsApp', () => WhatsAppHarness.start(), NOT_APPLICABLE);
describeAdapter('WhatsApp, second account', () => WhatsAppHarness.startFurther(), NOT_APPLICABLE);

describe('WhatsApp', () => {
  let whatsapp: WhatsAppHarness;
  const session = new Session(async () => (whatsapp = await WhatsAppHarness.start()));
  beforeEach(() => session.open());
  afterEach(() => session.close());

  const ofBody = (body: unknown, signature?: string | null): CallbackRequest => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const given = signature === undefined ? whatsapp.fake.sign(text) : signature;
    const headers = given === null ? {} : { 'x-hub-signature-256': given };
    return { method: 'POST', query: {}, headers, rawBody: Buffer.from(text) };
  };
  const statusOf = async (request: CallbackRequest): Promise<number> =>
    (await whatsapp.adapter.callback(request, session.sink)).status;
  const said = () => session.sink.messages.map(({ content }) => content);
  const from = { from: '491701234567', name: 'Ada' };

  describe('the connection', () => {
    it('shows the number and its name', async () => {
      await session.connect();
      expect(session.sink.proofs[0]).toEqual({ phone: '+1 555-078-3881', name: 'Fake Business' });
    });

    it('says what to check when the number id is unknown', async () => {
      const adapter = await whatsapp.adapterWith({ account: { ...whatsapp.fake.account, phoneNumberId: '1' } });
      const error = await failureOf(session.run(adapter));
      expect(error).toMatchObject({ fatal: true, fault: { code: 'phone_number_unknown' } });
      expect(error.message).toContain('the id that the app’s API set-up page shows');
    });

    it('survives a single failed probe', async () => {
      await session.connect();
      whatsapp.fake.fail({ method: 'phone', status: 502, body: '<html>Bad Gateway</html>' });
      await session.sink.until(({ warnings }) => warnings.length === 1);
      const { length } = session.sink.proofs;
      await session.sink.until(({ proofs }) => proofs.length > length);
    });
  });

  describe('the handshake', () => {
    const verify = async (token: unknown, mode = 'subscribe', ...challenge: string[]) => {
      const query = { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge[0] };
      const asked = {
        method: 'GET',
        query: query as CallbackRequest['query'],
        headers: {},
        rawBody: Buffer.alloc(0),
      } as const;
      return whatsapp.adapter.callback(asked, session.sink);
    };

    it('returns the challenge', async () => {
      const answer = await verify(whatsapp.fake.account.verifyToken, 'subscribe', '1158201444');
      expect(answer).toEqual({ status: 200, body: '1158201444' });
    });

    it('is rejected with the wrong token or mode, or without a challenge', async () => {
      const { verifyToken } = whatsapp.fake.account;
      for (const answer of [
        verify('wrong', 'subscribe', '1'),
        verify(undefined, 'subscribe', '1'),
        verify([verifyToken, verifyToken], 'subscribe', '1'),
        verify(verifyToken, 'unsubscribe', '1'),
        verify(verifyToken),
      ])
        expect(await answer).toEqual({ status: 403, body: '' });
    });
  });

  describe('notifications', () => {
    it('are rejected unless the signature matches their exact bytes', async () => {
      const body = JSON.stringify(whatsapp.fake.notification(whatsapp.fake.messageValue({ type: 'text' }, from)));
      const signature = whatsapp.fake.sign(body);
      const hex = signature.slice('sha256='.length);
      for (const given of [
        null,
        '',
        hex,
        `sha1=${hex}`,
        signature.toUpperCase(),
        signature.slice(0, -1),
        `${signature}0`,
      ])
        expect(await statusOf(ofBody(body, given))).toBe(401);
      expect(await statusOf(ofBody(`${body} `, signature))).toBe(401);
      expect(await statusOf(ofBody(body.replace('Ada', 'Bob'), signature))).toBe(401);
      expect(session.sink.attempts).toEqual([]);
      expect(await statusOf(ofBody(body, signature))).toBe(200);
    });

    it('are accepted without effect if they are of another kind or malformed', async () => {
      const value = whatsapp.fake.messageValue({ type: 'text', text: { body: 'no' } }, from);
      const nonsense = [null, 1, [], 'text', {}, { entry: null }, { entry: [null, { changes: [1, { value: null }] }] }];
      const history = { entry: [{ changes: [{ field: 'history', value }] }] };
      const template = {
        entry: [{ changes: [{ field: 'message_template_status_update', value: { event: 'APPROVED' } }] }],
      };
      for (const body of [...nonsense.map((item) => JSON.stringify(item)), 'not json', '', history, template])
        expect(await statusOf(ofBody(body))).toBe(200);
      expect(session.sink.attempts).toEqual([]);
    });

    it('deliver every message and status of every change of every entry', async () => {
      const texts = ['one', 'two', 'three', 'four'];
      const values = texts.map((body) =>
        whatsapp.fake.messageValue({ type: 'text', text: { body } }, { from: `49${body}` }),
      );
      await session.send('Hello');
      const [sent] = whatsapp.fake.sent;
      const statuses = [whatsapp.fake.statusValue(sent!, 'read'), whatsapp.fake.statusValue(sent!, 'delivered')];
      const [first, second] = [
        whatsapp.fake.notification(...values.slice(0, 2)),
        whatsapp.fake.notification(...values.slice(2), ...statuses),
      ];
      const entry = [...(first['entry'] as unknown[]), ...(second['entry'] as unknown[])];
      expect(await statusOf(ofBody({ ...first, entry }))).toBe(200);
      expect(said().toSorted()).toEqual(texts.toSorted());
      expect(session.sink.receipts.map(({ status, platformMessageId }) => [status, platformMessageId])).toEqual([
        ['read', sent!.id],
        ['delivered', sent!.id],
      ]);
    });

    it('skip a message without a sender, and store the readable parts of the others', async () => {
      const value = whatsapp.fake.messageValue({ type: 'text', text: { body: 'sense' } }, from);
      const messages = [
        { id: 'y', type: 'text', text: { body: 'whose?' } },
        { from: 491, timestamp: 'soon', type: 'text' },
        ...(value['messages'] as unknown[]),
      ];
      expect(await statusOf(ofBody(whatsapp.fake.notification({ ...value, contacts: [], messages })))).toBe(200);
      expect(said().toSorted()).toEqual(['[unsupported message: text]', 'sense']);
    });

    it('store nothing for another number of the app, nor messages of the number itself', async () => {
      const value = whatsapp.fake.messageValue({ type: 'text', text: { body: 'no' } }, from);
      const other = { ...value, metadata: { display_phone_number: '15550000000', phone_number_id: '42' } };
      const own = whatsapp.fake.messageValue({ type: 'text', text: { body: 'no' } }, { from: '15550783881' });
      expect(await statusOf(ofBody(whatsapp.fake.notification(other, own)))).toBe(200);
      expect(session.sink.attempts).toEqual([]);
    });

    it('are answered 503 if one item could not be stored, and store the others', async () => {
      session.sink.refuses = ({ content }) => content === 'lost';
      const values = ['lost', 'kept'].map((body) =>
        whatsapp.fake.messageValue({ type: 'text', text: { body } }, { from: `49${body.length}${body}` }),
      );
      expect(await statusOf(ofBody(whatsapp.fake.notification(...values)))).toBe(503);
      expect(said()).toEqual(['kept']);
    });
  });

  describe('people', () => {
    const write = async (sender: { from?: string; userId?: string; username?: string }) => {
      const value = whatsapp.fake.messageValue({ type: 'text', text: { body: 'Hi' } }, { name: 'Ada', ...sender });
      expect(await statusOf(ofBody(whatsapp.fake.notification(value)))).toBe(200);
      return session.sink.messages.at(-1)!;
    };

    it('are known by user id if they show no phone number, and can get messages', async () => {
      const userId = 'US.13491208655302741918';
      const { participant } = await write({ userId, username: 'ada' });
      expect(participant).toEqual({ id: userId, name: 'Ada', username: 'ada' });
      await session.send('Hello', {}, userId);
      expect(whatsapp.fake.sent[0]?.params).toMatchObject({ recipient: userId });
      expect(whatsapp.fake.sent[0]?.params).not.toHaveProperty('to');
    });

    it('keep one conversation when their phone number is shown, and hidden again', async () => {
      const userId = 'US.13491208655302741918';
      await write({ userId });
      const known = await write({ userId, from: '491701234567' });
      await write({ userId, from: '491701234567' });
      const hidden = await write({ userId });
      expect(session.sink.migrations).toEqual([[userId, '491701234567']]);
      expect([known, hidden].map(({ participant }) => participant.id)).toEqual(['491701234567', '491701234567']);
    });

    it('keep one conversation when one notification shows them with and without their phone number', async () => {
      const userId = 'US.13491208655302741918';
      const values = [{ userId }, { userId, from: '491701234567' }].map((sender) =>
        whatsapp.fake.messageValue({ type: 'text', text: { body: 'Hi' } }, sender),
      );
      const renamedBefore: [id: string, renamed: number][] = [];
      session.sink.refuses = ({ participant }) => {
        renamedBefore.push([participant.id, session.sink.migrations.length]);
        return false;
      };
      expect(await statusOf(ofBody(whatsapp.fake.notification(...values)))).toBe(200);
      expect(renamedBefore).toEqual([
        [userId, 0],
        ['491701234567', 1],
      ]);
    });

    it('keep their conversation when they change their number', async () => {
      const system = { body: 'Ada changed', wa_id: '491709999999', type: 'user_changed_number' };
      const value = whatsapp.fake.messageValue({ type: 'system', system }, from);
      expect(await statusOf(ofBody(whatsapp.fake.notification(value)))).toBe(200);
      expect(session.sink.migrations).toEqual([['491701234567', '491709999999']]);
      expect(session.sink.attempts).toEqual([]);
    });
  });

  it.each([
    [{ type: 'image', image: { id: '1', caption: 'Look' } }, 'image', '[photo] Look'],
    [{ type: 'video', video: { id: '1' } }, 'video', '[video]'],
    [{ type: 'audio', audio: { id: '1', voice: true } }, 'audio', '[voice message]'],
    [
      { type: 'document', document: { id: '1', filename: 'a.pdf', caption: 'Bill' } },
      'document',
      '[document] a.pdf Bill',
    ],
    [{ type: 'sticker', sticker: { id: '1' } }, 'sticker', '[sticker]'],
    [
      { type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Home' } },
      'location',
      '[location] Home 52.5, 13.4',
    ],
    [
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Bob' }, phones: [{ phone: '+49 1' }] }] },
      'contact',
      '[contact] Bob +49 1',
    ],
    [
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } },
      'text',
      'Yes',
    ],
    [{ type: 'button', button: { text: 'Stop', payload: 'stop' } }, 'text', 'Stop'],
    [{ type: 'unsupported', errors: [{ code: 131051 }] }, 'other', '[unsupported message]'],
    [{ type: 'poll_creation' }, 'other', '[unsupported message: poll_creation]'],
    [
      { type: 'unsupported', errors: [{ code: 131051 }], unsupported: { type: 'edit' } },
      'other',
      '[unsupported message: edit]',
    ],
    [{ type: 'ephemeral' }, 'other', '[unsupported message: ephemeral]'],
    [
      { location: { latitude: '52.5', longitude: '13.4', address: 'Unter den Linden 1', url: 'https://a.example' } },
      'location',
      '[location] Unter den Linden 1 52.5, 13.4 https://a.example',
    ],
    [
      {
        contacts: [
          {
            name: { first_name: 'Bob', last_name: 'Ray' },
            phones: [{ wa_id: '491' }],
            emails: [{ email: 'b@a.example' }],
            org: { company: 'Acme' },
          },
          { name: { formatted_name: 'Eve' } },
        ],
      },
      'contact',
      '[contact] Bob Ray Acme 491 b@a.example; Eve',
    ],
    [
      {
        type: 'interactive',
        interactive: {
          type: 'nfm_reply',
          nfm_reply: {
            name: 'flow',
            body: 'Sent',
            response_json: '{"flow_token":"t","name":"Ada","guests":2,"address":{"city":"Berlin"}}',
          },
        },
      },
      'text',
      '[form] Sent\nname: Ada\nguests: 2\naddress.city: Berlin',
    ],
    [{ interactive: { nfm_reply: { body: 'Sent', response_json: 'not json' } } }, 'text', '[form] Sent\nnot json'],
  ])('stores %j as readable text', async (message, kind, content) => {
    const value = whatsapp.fake.messageValue(message, from);
    expect(await statusOf(ofBody(whatsapp.fake.notification(value)))).toBe(200);
    expect(session.sink.messages).toEqual([
      expect.objectContaining({ kind, content, expectsReply: !('type' in message && SILENT.has(message.type)) }),
    ]);
  });

  it.each([
    [{ message_id: 'wamid.x', emoji: '👍' }, '👍'],
    [{ message_id: 'wamid.x', emoji: '' }, null],
    [{ message_id: 'wamid.x' }, null],
  ])('passes on the reaction %j, and no message', async (reaction, emoji) => {
    const value = whatsapp.fake.messageValue({ type: 'reaction', reaction }, from);
    expect(await statusOf(ofBody(whatsapp.fake.notification(value)))).toBe(200);
    expect(session.sink.messages).toEqual([]);
    const about = { platformMessageId: 'wamid.x', participantId: from.from, authorId: from.from };
    expect(session.sink.reactions).toEqual([{ ...about, emoji, at: expect.any(Date) as Date }]);
  });

  it.each(['soon', '', null, -5, '99999999999999999999', {}])(
    'accepts a message with the timestamp %j, without a time',
    async (timestamp) => {
      const value = whatsapp.fake.messageValue({ type: 'text', text: { body: 'Now' }, timestamp }, from);
      expect(await statusOf(ofBody(whatsapp.fake.notification(value)))).toBe(200);
      const [stored] = session.sink.messages;
      expect([stored?.content, stored?.sentAt.getTime()]).toEqual(['Now', Number.NaN]);
    },
  );

  it('assigns a message in a group to the group, and replies there', async () => {
    const group_id = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD';
    const value = whatsapp.fake.messageValue({ type: 'text', text: { body: 'Hi all' }, group_id }, from);
    expect(await statusOf(ofBody(whatsapp.fake.notification(value)))).toBe(200);
    expect(session.sink.messages).toMatchObject([
      { participant: { id: group_id, name: null }, sender: { id: from.from }, address: group_id, expectsReply: true },
    ]);
    await session.send('Hello', {}, group_id);
    const [request] = whatsapp.fake.requestsOf('messages');
    expect(request?.body).toMatchObject({ recipient_type: 'group', to: group_id });
  });

  it.each([
    [{ type: 'revoke', revoke: { original_message_id: 'wamid.1' } }, null],
    [
      {
        type: 'edit',
        edit: {
          original_message_id: 'wamid.1',
          message: { context: { id: 'M0' }, type: 'text', text: { body: 'Better' } },
        },
      },
      'Better',
    ],
    [
      {
        type: 'edit',
        edit: { original_message_id: 'wamid.1', message: { type: 'image', image: { id: '9', caption: 'New' } } },
      },
      '[photo] New',
    ],
  ])('reads %j as a change of the message that it names', async (message, content) => {
    const value = whatsapp.fake.messageValue(message, from);
    expect(await statusOf(ofBody(whatsapp.fake.notification(value)))).toBe(200);
    expect(session.sink.changes).toMatchObject([{ platformMessageId: 'wamid.1', content, authorId: from.from }]);
    expect(session.sink.attempts).toEqual([]);
  });

  it('ends a failure reason with one full stop, whatever Meta sends', async () => {
    await session.send('Hello');
    const error = {
      code: 131047,
      title: 'Re-engagement message.',
      error_data: { details: 'More than 24 hours have passed.' },
    };
    const status = whatsapp.fake.statusValue(whatsapp.fake.sent[0]!, 'failed', error);
    expect(await statusOf(ofBody(whatsapp.fake.notification(status)))).toBe(200);
    expect(session.sink.receipts[0]?.failure?.message).not.toMatch(/[.][.]|[.] [.]|[.]:|[.][)][.]/);
  });

  it('passes on the reason of a failed status', async () => {
    await session.send('Hello');
    const status = whatsapp.fake.statusValue(whatsapp.fake.sent[0]!, 'failed', { code: 131047 });
    expect(await statusOf(ofBody(whatsapp.fake.notification(status)))).toBe(200);
    expect(session.sink.receipts).toMatchObject([
      { status: 'failed', failure: { code: 'window_closed', platform_code: '131047', retryable: false } },
    ]);
  });

  it('gets our message id, and hides link previews when asked to', async () => {
    await session.send('https://a.example', { linkPreview: false });
    const [sent] = whatsapp.fake.sent;
    expect(sent?.callbackData).toMatch(/^msg_[0-9a-z]{26}$/);
    expect(sent?.previewUrl).toBe(false);
  });

  it('marks the answered message as read, and shows typing', async () => {
    const id = whatsapp.fake.receiveText({ ...from, text: 'Hi' });
    await whatsapp.adapter.showTyping(from.from, undefined, id);
    await whatsapp.adapter.showTyping(from.from, undefined);
    expect(whatsapp.fake.reads).toEqual([{ messageId: id, typing: true }]);
  });

  it('splits a text into the fewest parts, because each is billed', () => {
    const { adapter } = whatsapp;
    for (const [paragraphs, parts] of [
      [292, 1],
      [293, 2],
      [584, 2],
      [585, 3],
    ] as const)
      expect(adapter.split('A paragraph.\n\n'.repeat(paragraphs), PLAIN)).toHaveLength(parts);
    const paragraph = `${'word '.repeat(420)}\n\n`;
    expect(adapter.split(paragraph.repeat(3), PLAIN)).toHaveLength(2);
  });

  it('treats a success without a message id as ambiguous', async () => {
    whatsapp.fake.fail({ method: 'messages', status: 200, body: { messaging_product: 'whatsapp' } });
    const [outcome] = await session.send('Hello');
    expect(outcome).toMatchObject({ accepted: false, failure: { code: 'ambiguous' } });
  });
});
