import { fromPublicId } from '#contracts';
import type { MessageDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const OPTIONS = [
  { id: 'yes', title: 'Yes' },
  { id: 'no', title: 'No' },
];
const LINKED = [OPTIONS[0]!, { id: 'site', title: 'Open', url: 'https://example.com/' }];

describe('options of a message', () => {
  const scene = new WhatsAppGateway();
  let gateway: TestGateway;

  beforeAll(async () => {
    await scene.start();
    gateway = scene.gateway;
  });
  afterAll(() => scene.stop());

  const send = async (more: object, key = gateway.testKey) =>
    gateway.api<SendResultDto>(
      'POST',
      '/messages/send',
      { platform: 'whatsapp', recipient: '49170', message: 'Well?', ...more },
      { key },
    );
  const choice = (options: object[], more: object = {}) => ({ interactive: { type: 'choice', options }, ...more });
  const play = async (more: object) =>
    (
      await gateway.api<{ message_id: string }>(
        'POST',
        '/sandbox/inbound',
        { platform: 'whatsapp', sender: { id: '49170' }, ...more },
        { key: gateway.testKey },
      )
    ).body.data.message_id;
  const read = async (id: string, key = gateway.testKey) =>
    (await gateway.api<MessageDto>('GET', `/messages/${id}`, undefined, { key })).body.data;

  it('are shown with it, and a tap arrives as a message, once a minute', async () => {
    const id = (await send(choice(OPTIONS))).body.data.message_id;
    expect((await read(id)).interactive).toEqual({ type: 'choice', options: OPTIONS });
    const tap = { interactive_reply: { id: 'no', message_id: id } };
    const tapped = await play(tap);
    expect(await read(tapped)).toMatchObject({
      content: 'No',
      interactive_reply: { id: 'no', title: 'No', message_id: id },
    });
    const [again, also] = await Promise.all([play(tap), play(tap)]);
    expect([again, also]).toEqual([null, null]);
    expect(await play({ interactive_reply: { id: 'yes', message_id: id } })).toMatch(/^msg_/);
    await gateway.sql(`UPDATE messages SET created_at = created_at - interval '61 seconds' WHERE id = $1`, [
      fromPublicId('message', tapped),
    ]);
    expect(await play(tap)).toMatch(/^msg_/);
  });

  it('request a person if the title of the chosen one is a phrase that asks for one', async () => {
    const patched = await gateway.api(
      'PATCH',
      '/admin/settings',
      { handover: { phrases: ['yes'] } },
      { key: gateway.testKey },
    );
    expect(patched.status).toBe(200);
    const id = (await send({ ...choice(OPTIONS), recipient: '49173' })).body.data.message_id;
    const tapped = await play({ sender: { id: '49173' }, interactive_reply: { id: 'yes', message_id: id } });
    const { conversation_id } = await read(tapped);
    const { body } = await gateway.api('GET', `/conversations/${conversation_id}`, undefined, { key: gateway.testKey });
    expect(body.data).toMatchObject({ handling: 'requested', handover: { reason: 'phrase' } });
  });

  it('are numbered on WhatsApp if links are among them, and a number chooses', async () => {
    const id = (await send(choice(LINKED))).body.data.message_id;
    expect(await read(await play({ content: '2' }))).toMatchObject({
      content: '2',
      interactive_reply: { id: 'site', title: 'Open', message_id: id },
    });
    expect((await read(await play({ content: '3' }))).interactive_reply).toBeNull();
    expect((await read(await play({ content: '2 or 3' }))).interactive_reply).toBeNull();
    const newest = (await send(choice(LINKED))).body.data.message_id;
    expect((await read(await play({ content: '1' }))).interactive_reply).toMatchObject({ message_id: newest });
    const sentAgo = (hours: number) =>
      gateway.sql(`UPDATE messages SET sent_at = now() - $2::integer * interval '1 hour' WHERE id = ANY ($1)`, [
        [id, newest].map((one) => fromPublicId('message', one)),
        hours,
      ]);
    await sentAgo(23);
    expect((await read(await play({ content: '2' }))).interactive_reply).not.toBeNull();
    await sentAgo(25);
    expect((await read(await play({ content: '2' }))).interactive_reply).toBeNull();
  });

  it('request a person if a number chooses a title that is a phrase', async () => {
    const change = { handover: { phrases: ['yes'] } };
    expect((await gateway.api('PATCH', '/admin/settings', change, { key: gateway.testKey })).status).toBe(200);
    await send({ ...choice(LINKED), recipient: '49174' });
    const { conversation_id } = await read(await play({ sender: { id: '49174' }, content: '1' }));
    const { body } = await gateway.api('GET', `/conversations/${conversation_id}`, undefined, { key: gateway.testKey });
    expect(body.data).toMatchObject({ handling: 'requested', handover: { reason: 'phrase' } });
  });

  it.each([
    ['interactive.options', choice(Array.from({ length: 4 }, (_, n) => ({ id: `${n}`, title: `${n}` })))],
    ['interactive.options[0].title', choice([{ id: '1', title: 'x'.repeat(21) }])],
    ['interactive.options[0].title', { interactive: { type: 'list', options: [{ id: '1', title: 'x'.repeat(25) }] } }],
    [
      'interactive.options',
      { interactive: { type: 'list', options: Array.from({ length: 11 }, (_, n) => ({ id: `${n}`, title: `${n}` })) } },
    ],
    ['interactive.options[1].id', choice([OPTIONS[0]!, { id: 'yes', title: 'Other' }])],
    ['interactive.options[0].url', choice([{ id: '1', title: '1', url: 'javascript:alert(1)' }])],
    ['interactive.button', { interactive: { type: 'list', options: OPTIONS, button: 'x'.repeat(21) } }],
    ['message', choice(OPTIONS, { message: 'x'.repeat(1_025) })],
    ['interactive.options[0].title', choice([{ id: '1', title: 'x'.repeat(21), url: 'https://example.com/' }])],
    [
      'interactive.options[0].title',
      { interactive: { type: 'list', options: [{ id: '1', title: 'x'.repeat(21), url: 'https://example.com/' }] } },
    ],
    [
      'interactive.options',
      choice([{ ...OPTIONS[0]!, description: 'At three' }, OPTIONS[1]!], { message: 'x'.repeat(1_010) }),
    ],
  ])('refuses %s above the limits of the strictest platform', async (parameter, more) => {
    for (const platform of ['whatsapp', 'telegram', 'discord'])
      expect(await send({ platform, ...more })).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMETER', details: { parameter } } },
      });
  });

  it.each([
    ['interactive.options[0].id', choice([{ id: ' ', title: 'Yes' }])],
    ['interactive.options[0].title', choice([{ id: '1', title: '\u2003' }])],
    ['interactive.options[0].description', choice([{ id: '1', title: 'Yes', description: '\n ' }])],
    ['interactive.button', { interactive: { type: 'list', options: OPTIONS, button: ' ' } }],
    ['message', choice(OPTIONS, { message: ' \u3000' })],
  ])('refuses a blank %s on every platform', async (parameter, more) => {
    for (const platform of ['whatsapp', 'telegram', 'discord'])
      expect(await send({ platform, ...more })).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMETER', details: { parameter } } },
      });
  });

  it('may fill the message with their descriptions', async () => {
    const options = [{ ...OPTIONS[0]!, description: 'At three' }, OPTIONS[1]!];
    const { status } = await send(choice(options, { message: 'x'.repeat(1_009) }));
    expect(status).toBe(200);
    expect((await send(choice(OPTIONS, { message: 'x'.repeat(1_024) }))).status).toBe(200);
  });

  it('are numbered in a WhatsApp group, which allows no buttons, and a number chooses', async () => {
    const { whatsapp } = scene;
    const [recipient, from] = ['Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD', '49179'];
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    whatsapp.receive({ type: 'text', text: { body: 'Hi' }, group_id: recipient }, { from });
    await eventually('the window is open', async () =>
      expect(await gateway.sql('SELECT FROM conversations WHERE participant_id = $1', [recipient])).toHaveLength(1),
    );
    const { body } = await send(choice(OPTIONS, { recipient }), gateway.liveKey);
    expect(body.data).toMatchObject({ status: 'sent' });
    expect(scene.sentTo(recipient).map(({ text }) => text)).toEqual(['Well?\n\n1. Yes\n2. No']);
    whatsapp.receive({ type: 'text', text: { body: '2' }, group_id: recipient }, { from });
    await eventually('it is an answer', async () => {
      const rows = await gateway.sql(
        `SELECT options -> 'interactive_reply' AS reply FROM messages WHERE direction = 'inbound' AND content = '2' AND environment = 'live'`,
      );
      expect(rows).toMatchObject([{ reply: { id: 'no', title: 'No' } }]);
    });
  });

  it('are buttons on WhatsApp, where a double tap counts once', async () => {
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    const { whatsapp } = scene;
    const sent: object[] = [];
    whatsapp.templates.all.length = 0;
    const { body } = await send(choice(OPTIONS, { recipient: '49171' }), gateway.liveKey);
    sent.push(...scene.sentTo('49171').map(({ params }) => params));
    expect(body.data.status).toBe('sent');
    expect(sent).toMatchObject([
      {
        type: 'interactive',
        interactive: { type: 'button', action: { buttons: [{ reply: OPTIONS[0] }, { reply: OPTIONS[1] }] } },
      },
    ]);
    const wamid = scene.sentTo('49171')[0]!.id;
    const tap = () =>
      whatsapp.post(
        whatsapp.messageValue(
          {
            type: 'interactive',
            interactive: { type: 'button_reply', button_reply: OPTIONS[0] },
            context: { id: wamid },
          },
          { from: '49171' },
        ),
      );
    expect(await Promise.all([tap(), tap(), tap()])).toEqual([200, 200, 200]);
    const rows = await gateway.sql<{ reply: object }>(
      `SELECT m.options -> 'interactive_reply' AS reply FROM messages m JOIN conversations c ON c.id = m.conversation_id
       WHERE c.participant_id = '49171' AND m.direction = 'inbound'`,
    );
    expect(rows).toMatchObject([{ reply: { id: 'yes', title: 'Yes' } }]);
  });

  it('are not chosen by a tap on a message of another conversation', async () => {
    const id = (await send(choice(OPTIONS, { recipient: '49175' }))).body.data.message_id;
    const body = {
      platform: 'whatsapp',
      sender: { id: '49176' },
      interactive_reply: { id: 'yes', message_id: id },
    };
    expect(await gateway.api('POST', '/sandbox/inbound', body, { key: gateway.testKey })).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'interactive_reply' } } },
    });
    expect(await repliesOf('49176', 'yes', 'Sure', scene.sentTo('49171')[0]!.id)).toEqual([
      { content: 'Sure', reply: { id: 'yes', title: 'Sure', message_id: null } },
    ]);
  });

  it('add their title to a tap without one', async () => {
    await send(choice(OPTIONS, { recipient: '49177' }), gateway.liveKey);
    const reply = { id: 'no', title: 'No', message_id: expect.any(String) as string };
    const wamid = scene.sentTo('49177')[0]!.id;
    expect(await repliesOf('49177', 'no', '', wamid)).toEqual([{ content: 'No', reply }]);
  });

  /** A tap on WhatsApp. @returns the messages that the person has written */
  const repliesOf = async (from: string, id: string, title: string, wamid: string) => {
    const { whatsapp } = scene;
    const interactive = { type: 'button_reply', button_reply: { id, title } };
    const value = whatsapp.messageValue({ type: 'interactive', interactive, context: { id: wamid } }, { from });
    expect(await whatsapp.post(value)).toBe(200);
    return gateway.sql(
      `SELECT m.content, m.options -> 'interactive_reply' AS reply FROM messages m JOIN conversations c ON c.id = m.conversation_id
       WHERE c.participant_id = $1 AND c.environment = 'live' AND m.direction = 'inbound'`,
      [from],
    );
  };
});

describe('options on Telegram', () => {
  let telegram: TelegramFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ telegram });
    await gateway.connected('telegram');
  });
  afterAll(async () => {
    await gateway.stop();
    await telegram.stop();
  });

  const offer = async (recipient: string) => {
    const interactive = { type: 'choice', options: OPTIONS };
    const body = { platform: 'telegram', recipient, message: 'Well?', interactive };
    return (await gateway.api<SendResultDto>('POST', '/messages/send', body)).body.data.message_id;
  };
  const tap = (id: string, userId: number, chat: object) => {
    const from = { id: userId, is_bot: false, first_name: 'Ann' };
    const message = { message_id: telegram.sent.at(-1)!.message_id, chat, date: 0 };
    telegram.receive({ callback_query: { id, from, chat_instance: '1', data: 'no', message } });
  };
  const repliesTo = (id: string) =>
    gateway.sql<{ person: string; reply: object }>(
      `SELECT sender ->> 'id' AS person, options -> 'interactive_reply' AS reply FROM messages
       WHERE direction = 'inbound' AND options -> 'interactive_reply' ->> 'message_id' = $1 ORDER BY person`,
      [fromPublicId('message', id)],
    );

  it('are an inline keyboard, and a tap is stored and acknowledged', async () => {
    const id = await offer('7');
    const [call] = telegram.requestsOf('sendMessage');
    expect(JSON.stringify(call!.body)).toContain('callback_data');
    await eventually('it is delivered', async () => {
      const { body: shown } = await gateway.api<MessageDto>('GET', `/messages/${id}`);
      expect(shown.data).toMatchObject({ status: 'delivered', interactive: { options: OPTIONS } });
    });
    tap('tap', 7, { id: 7, type: 'private' });
    await eventually('the tap is stored and acknowledged', async () => {
      const reply = { id: 'no', title: 'No', message_id: fromPublicId('message', id) };
      expect(await repliesTo(id)).toEqual([{ person: '7', reply }]);
      expect(telegram.requestsOf('answerCallbackQuery')[0]?.body).toMatchObject({ callback_query_id: 'tap' });
    });
  });

  it('count once for each person of a group', async () => {
    const id = await offer('-1007');
    const taps = [71, 72, 71, 72, 71];
    taps.forEach((person, index) => tap(`group-${index}`, person, { id: -1007, type: 'supergroup', title: 'All' }));
    await eventually('all are acknowledged', () =>
      expect(
        telegram
          .requestsOf('answerCallbackQuery')
          .filter(({ body }) => String(body['callback_query_id']).startsWith('group-')),
      ).toHaveLength(taps.length),
    );
    expect((await repliesTo(id)).map(({ person }) => person)).toEqual(['71', '72']);
  });
});
