import { toPublicId } from '#contracts';
import { eventually } from '../../support/eventually';
import { withClient } from '../../support/with-client';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

const FROM = '491701234567';

describe('WhatsApp', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());
  afterEach(() => {
    whatsapp.beforeAnswer = () => Promise.resolve();
  });

  const inbound = (text: string) =>
    scene.gateway.sql(`SELECT m.id, m.kind FROM messages m WHERE direction = 'inbound' AND content = $1`, [text]);

  it('shows the number it is connected as', async () => {
    expect(await scene.gateway.integration('whatsapp')).toMatchObject({
      status: 'connected',
      details: { phone: whatsapp.phone, name: whatsapp.name },
    });
  });

  describe('the handshake', () => {
    const ask = (token: string) =>
      fetch(`${scene.callbackUrl}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`);

    it('echoes the challenge', async () => {
      const answer = await ask(whatsapp.account.verifyToken);
      expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
    });

    it('is refused with a wrong token, or with nothing at all', async () => {
      expect((await ask('wrong')).status).toBe(403);
      expect((await fetch(scene.callbackUrl)).status).toBe(403);
    });
  });

  describe('a notification', () => {
    const post = (body: string, signature?: string) =>
      fetch(scene.callbackUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(signature && { 'x-hub-signature-256': signature }) },
        body,
      });
    const notification = (text: string, from = FROM) =>
      JSON.stringify(whatsapp.notification(whatsapp.messageValue({ type: 'text', text: { body: text } }, { from })));

    it('is refused without a signature of its exact bytes, and stores nothing', async () => {
      const body = notification('forged');
      expect((await post(body)).status).toBe(401);
      expect((await post(body, whatsapp.sign(`${body} `))).status).toBe(401);
      expect((await post(`${body}\n`, whatsapp.sign(body))).status).toBe(401);
      expect((await post(body, 'sha256=')).status).toBe(401);
      expect(await inbound('forged')).toEqual([]);
    });

    it('is stored before it is answered, once, however often it arrives', async () => {
      const body = notification('Stored once', '491700000001');
      const answers = await Promise.all(Array.from({ length: 10 }, () => post(body, whatsapp.sign(body))));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      expect(await inbound('Stored once')).toHaveLength(1);
    });

    it('of another kind is accepted', async () => {
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ changes: [{ field: 'flows', value: {} }] }],
      });
      expect((await post(body, whatsapp.sign(body))).status).toBe(200);
    });

    it('that is malformed is accepted if signed, refused if not, and stores nothing', async () => {
      const count = () => scene.gateway.sql(`SELECT count(*) FROM messages WHERE direction = 'inbound'`);
      const before = await count();
      const garbage = ['', '{', 'null', '[[]]', '"text"', '\u0000', JSON.stringify({ entry: [{ changes: 'none' }] })];
      for (const body of [...garbage, `{"entry":${'['.repeat(50_000)}`]) {
        expect([body.slice(0, 20), (await post(body, whatsapp.sign(body))).status]).toEqual([body.slice(0, 20), 200]);
        expect([body.slice(0, 20), (await post(body)).status]).toEqual([body.slice(0, 20), 401]);
      }
      expect(await count()).toEqual(before);
    });

    it('larger than any of WhatsApp’s is refused unread', async () => {
      const body = notification('x'.repeat(4_200_000), '491700000014');
      expect((await post(body, whatsapp.sign(body))).status).toBe(400);
      const [count] = await scene.gateway.sql(
        `SELECT count(*)::int FROM conversations WHERE participant_id = '491700000014'`,
      );
      expect(count).toEqual({ count: 0 });
    });

    it('that is replayed, older ones last, changes nothing', async () => {
      const texts = ['first', 'second', 'third'];
      const bodies = texts.map((text) => notification(`${text} of three`, '491700000015'));
      for (const body of [...bodies, ...bodies.toReversed()])
        expect((await post(body, whatsapp.sign(body))).status).toBe(200);
      const rows = await scene.gateway.sql<{ content: string }>(
        `SELECT content FROM messages WHERE direction = 'inbound' AND content LIKE '% of three' ORDER BY seq`,
      );
      expect(rows.map(({ content }) => content)).toEqual(texts.map((text) => `${text} of three`));
    });

    it('is stored if something else opens the conversation at the same time', async () => {
      const person = '491700000016';
      const body = notification('My first words', person);
      const answer = await withClient(scene.gateway.databaseUrl, async (client) => {
        await client.query('BEGIN');
        await client.query(
          `INSERT INTO conversations (id, environment, platform, participant_id, status, message_count, created_at, last_message_at)
           VALUES (gen_random_uuid(), 'live', 'whatsapp', $1, 'active', 0, now(), now())`,
          [person],
        );
        const posted = post(body, whatsapp.sign(body));
        await eventually('it waits for the conversation', async () => {
          const waiting = await scene.gateway.sql(`SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INTO conversations%'`);
          expect(waiting).toHaveLength(1);
        });
        await client.query('COMMIT');
        return posted;
      });
      expect(answer.status).toBe(200);
      expect(await inbound('My first words')).toHaveLength(1);
      await eventually('it is answered', () => expect(whatsapp.sent.some(({ to }) => to === person)).toBe(true));
    });

    it('may be larger than a request of the API', async () => {
      const values = Array.from({ length: 400 }, (_, index) =>
        whatsapp.messageValue({ type: 'system', system: { body: 'x'.repeat(4_096), index } }, { from: FROM }),
      );
      const body = JSON.stringify(whatsapp.notification(...values));
      expect(body.length).toBeGreaterThan(1_500_000);
      expect((await post(body, whatsapp.sign(body))).status).toBe(200);
    });
  });

  it('answers people, marks messages as read and shows typing', async () => {
    const from = '491700000002';
    const id = whatsapp.receiveText({ from, name: 'Ada', text: 'What is a gateway?' });
    const reply = await eventually('the answer is sent', () => {
      const [answer] = scene.sentTo(from);
      expect(answer).toBeDefined();
      return answer!;
    });
    expect(whatsapp.reads).toContainEqual({ messageId: id, typing: true });
    const { body } = await scene.gateway.api<
      { participant: object; messages: { direction: string; content: string }[] }[]
    >('GET', '/conversations?platform=whatsapp');
    expect(body.data).toContainEqual(
      expect.objectContaining({ participant: { id: from, name: 'Ada', username: null }, message_count: 2 }),
    );
    expect(reply.callbackData).toMatch(/^msg_/);
    await eventually('the answer is recorded', async () =>
      expect((await scene.read(reply.callbackData!)).status).toBe('sent'),
    );
  });

  it('changes a message that its person edits or deletes, with an event each, and answers nothing', async () => {
    const from = '491700000021';
    const id = whatsapp.receiveText({ from, text: 'Helo' });
    await eventually('it is answered', () => expect(scene.sentTo(from)).toHaveLength(1));
    const [stored] = await inbound('Helo');
    const uuid = (stored as { id: string }).id;
    const state = async () => {
      const [row] = await scene.gateway.sql<{ content: string; former: string[] | null }>(
        `SELECT content, options -> 'former_contents' AS former FROM messages WHERE id = $1`,
        [uuid],
      );
      return row!;
    };
    const edit = (text: string, timestamp: number) => {
      const message = { type: 'text', text: { body: text } };
      const seconds = String(Math.floor(Date.now() / 1_000) + timestamp);
      whatsapp.receive({ type: 'edit', timestamp: seconds, edit: { original_message_id: id, message } }, { from });
    };
    edit('Hello', 10);
    await eventually('it is edited', async () => {
      expect(await state()).toEqual({ content: 'Hello', former: ['Helo'] });
    });
    const { body } = await scene.gateway.api<{ content: string }>('GET', `/messages/${toPublicId('message', uuid)}`);
    expect(body.data.content).toBe('Hello');
    // Notifications come in any order.
    edit('Hallo', 5);
    whatsapp.receive({ type: 'revoke', revoke: { original_message_id: id } }, { from });
    await eventually('it is deleted', async () => {
      expect(await state()).toEqual({ content: '[message deleted]', former: null });
    });
    edit('Hello again', 20);
    whatsapp.receiveText({ from, text: 'Thanks' });
    await eventually('the next message is answered', () => expect(scene.sentTo(from)).toHaveLength(2));
    expect((await state()).content).toBe('[message deleted]');
    const events = await scene.eventsOf(toPublicId('message', uuid));
    expect(events.toSorted()).toEqual(['message.received', 'message.updated', 'message.updated']);
    const [counted] = await scene.gateway.sql('SELECT message_count FROM conversations WHERE participant_id = $1', [
      from,
    ]);
    expect(counted).toEqual({ message_count: 4 });
  });

  it('answers a group in the group, and nobody for an unsupported message', async () => {
    const [from, group_id] = ['491700000022', 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD'];
    for (const type of ['unsupported', 'unknown', 'ephemeral', 'poll']) whatsapp.receive({ type }, { from });
    await eventually('all are stored', async () => {
      const events = await scene.gateway.sql(
        `SELECT 1 FROM events WHERE type = 'message.received' AND body::jsonb -> 'data' -> 'sender' ->> 'id' = $1
           AND body::jsonb -> 'data' ->> 'content' LIKE '[unsupported message%]'`,
        [from],
      );
      expect(events).toHaveLength(4);
    });
    const mention = `Hi @${whatsapp.phone.replace(/\D/g, '')}`;
    whatsapp.receive({ type: 'text', text: { body: mention }, group_id }, { from });
    await eventually('the group is answered', () => expect(scene.sentTo(group_id)).toHaveLength(1));
    expect(scene.sentTo(group_id)[0]!.params).toMatchObject({ recipient_type: 'group', to: group_id });
    expect(scene.sentTo(from)).toEqual([]);
  });

  it('stores a picture with its kind, and answers it', async () => {
    const from = '491700000003';
    whatsapp.receive({ type: 'image', image: { id: '1', caption: 'Look at this' } }, { from });
    await eventually('it is answered', () => expect(scene.sentTo(from)).toHaveLength(1));
    expect(await inbound('[photo] Look at this')).toEqual([expect.objectContaining({ kind: 'image' })]);
  });

  it('answers a person without a phone number, and keeps the conversation when the number is known', async () => {
    const userId = 'US.13491208655302741918';
    whatsapp.receiveText({ userId, username: 'ada', text: 'Guess who' });
    await eventually('it is answered', () => expect(scene.sentTo(userId)).toHaveLength(1));
    whatsapp.receiveText({ userId, from: '491700000004', text: 'It is me' });
    await eventually('it is answered at the number', () => expect(scene.sentTo('491700000004')).toHaveLength(1));
    const rows = await scene.gateway.sql(
      `SELECT participant_id FROM conversations WHERE participant_id IN ($1, '491700000004')`,
      [userId],
    );
    expect(rows).toEqual([{ participant_id: '491700000004' }]);
  });

  it('recognises after a restart a user id that comes without its number', async () => {
    const [userId, from] = ['US.77777777777777777777', '491700000006'];
    whatsapp.receiveText({ userId, from, text: 'I am Ada' });
    await eventually('it is answered', () => expect(scene.sentTo(from)).toHaveLength(1));
    await scene.restart();
    whatsapp.receiveText({ userId, text: 'Me again' });
    await eventually('it is answered at the number', () => expect(scene.sentTo(from)).toHaveLength(2));
    expect(await scene.send(userId, 'Good bye')).toMatchObject({ recipient: userId, status: 'sent' });
    const rows = await scene.gateway.sql(
      `SELECT participant_id, message_count FROM conversations WHERE participant_id IN ($1, $2)`,
      [userId, from],
    );
    expect(rows).toEqual([{ participant_id: from, message_count: 5 }]);
  });

  it('keeps one conversation with a number in any notation', async () => {
    expect(await scene.send('+49 170 0000011', 'Good morning')).toMatchObject({
      recipient: '+49 170 0000011',
      status: 'sent',
    });
    whatsapp.receiveText({ from: '491700000011', text: 'Good evening' });
    await eventually('it is answered', () => expect(scene.sentTo('491700000011')).toHaveLength(1));
    const rows = await scene.gateway.sql(
      `SELECT participant_id FROM conversations WHERE participant_id LIKE '%0000011'`,
    );
    expect(rows).toEqual([{ participant_id: '491700000011' }]);
  });

  it('explains why a message was refused', async () => {
    whatsapp.refuse('491700000005', 131047);
    const result = await scene.send('491700000005');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'window_closed', platform_code: '131047', retryable: false },
    });
    expect(await scene.eventsOf(result.message_id)).toEqual(['message.failed']);
  });

  it('waits out the pause of a rate limit', async () => {
    whatsapp.refuseNextSend(130429);
    expect(await scene.send('491700000006')).toMatchObject({ status: 'sent' });
  });
});
