import type { SendFailureCode } from '#contracts';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import type { WhatsAppSent, WhatsAppStatus } from '../fakes/whatsapp-types';
import { eventually } from '../support/eventually';
import { startTestGateway, type TestGateway } from '../support/gateway';

const FROM = '491701234567';

interface MessageBody {
  id: string;
  status: string;
  confirmation: string | null;
  sent_at?: string;
  delivered_at: string | null;
  read_at: string | null;
  error: { code: SendFailureCode; platform_code: string } | null;
}

describe('WhatsApp', () => {
  const whatsapp = new WhatsAppFake();
  const anthropic = new AnthropicFake();
  let gateway: TestGateway;
  let callbackUrl: string;

  beforeAll(async () => {
    await Promise.all([whatsapp.start(), anthropic.start()]);
    gateway = await startTestGateway({ anthropic, env: whatsapp.env });
    callbackUrl = `${gateway.url}/callbacks/whatsapp`;
    whatsapp.subscribe(callbackUrl);
    await gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute: 100_000 } });
    await eventually('WhatsApp is connected', async () => {
      expect((await integration()).status).toBe('connected');
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([whatsapp.shutDown(), anthropic.stop()]);
  });
  afterEach(() => {
    whatsapp.beforeAnswer = () => Promise.resolve();
  });

  const integration = async () => {
    const { body } = await gateway.api<{ platform: string; status: string; details: object }[]>('GET', '/integrations');
    return body.data.find(({ platform }) => platform === 'whatsapp')!;
  };
  const send = async (recipient: string, message = 'Hello', options = {}) => {
    const request = { platform: 'whatsapp', recipient, message, options };
    const { body } = await gateway.api<{ message_id: string; status: string; error?: object }>(
      'POST',
      '/messages/send',
      request,
    );
    return body.data;
  };
  const read = async (id: string) => (await gateway.api<MessageBody>('GET', `/messages/${id}`)).body.data;
  const sentTo = (recipient: string): WhatsAppSent[] => whatsapp.sent.filter(({ to }) => to === recipient);
  const inbound = (text: string) =>
    gateway.sql(`SELECT m.id, m.kind FROM messages m WHERE direction = 'inbound' AND content = $1`, [text]);
  const eventsOf = async (id: string): Promise<string[]> => {
    const rows = await gateway.sql<{ type: string }>(
      `SELECT type FROM events WHERE body::jsonb -> 'data' ->> 'message_id' = $1 ORDER BY created_at, id`,
      [id],
    );
    return rows.map(({ type }) => type);
  };

  it('shows the number it is connected as', async () => {
    expect(await integration()).toMatchObject({
      status: 'connected',
      details: { phone: whatsapp.phone, name: whatsapp.name },
    });
  });

  describe('the handshake', () => {
    const ask = (token: string) =>
      fetch(`${callbackUrl}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`);

    it('echoes the challenge', async () => {
      const answer = await ask(whatsapp.account.verifyToken);
      expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
    });

    it('is refused with a wrong token, or with nothing at all', async () => {
      expect((await ask('wrong')).status).toBe(403);
      expect((await fetch(callbackUrl)).status).toBe(403);
    });
  });

  describe('a notification', () => {
    const post = (body: string, signature?: string) =>
      fetch(callbackUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(signature && { 'x-hub-signature-256': signature }) },
        body,
      });
    const notification = (text: string, from = FROM) =>
      JSON.stringify(whatsapp.notification(whatsapp.messageValue({ type: 'text', text: { body: text } }, { from })));

    it('is refused without the signature of its very bytes, and stores nothing', async () => {
      const body = notification('forged');
      expect((await post(body)).status).toBe(401);
      expect((await post(body, whatsapp.sign(`${body} `))).status).toBe(401);
      expect((await post(`${body}\n`, whatsapp.sign(body))).status).toBe(401);
      expect((await post(body, 'sha256=')).status).toBe(401);
      expect(await inbound('forged')).toEqual([]);
    });

    it('is stored before it is answered, once, however often it comes', async () => {
      const body = notification('Stored once', '491700000001');
      const answers = await Promise.all(Array.from({ length: 10 }, () => post(body, whatsapp.sign(body))));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      expect(await inbound('Stored once')).toHaveLength(1);
    });

    it('of another kind is taken', async () => {
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ changes: [{ field: 'flows', value: {} }] }],
      });
      expect((await post(body, whatsapp.sign(body))).status).toBe(200);
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

  it('answers what people write, marks it as read and shows typing meanwhile', async () => {
    const from = '491700000002';
    const id = whatsapp.receiveText({ from, name: 'Ada', text: 'What is a gateway?' });
    const reply = await eventually('the answer is sent', () => {
      const [answer] = sentTo(from);
      expect(answer).toBeDefined();
      return answer!;
    });
    expect(whatsapp.reads).toContainEqual({ messageId: id, typing: true });
    const { body } = await gateway.api<{ participant: object; messages: { direction: string; content: string }[] }[]>(
      'GET',
      '/conversations?platform=whatsapp',
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({ participant: { id: from, name: 'Ada', username: null }, message_count: 2 }),
    );
    expect(reply.callbackData).toMatch(/^msg_/);
    expect((await read(reply.callbackData!)).status).toBe('sent');
  });

  it('stores a picture with its kind, and answers as to words', async () => {
    const from = '491700000003';
    whatsapp.receive({ type: 'image', image: { id: '1', caption: 'Look at this' } }, { from });
    await eventually('it is answered', () => expect(sentTo(from)).toHaveLength(1));
    expect(await inbound('[photo] Look at this')).toEqual([expect.objectContaining({ kind: 'image' })]);
  });

  it('answers somebody without a phone number, and keeps the conversation when the number is known', async () => {
    const userId = 'US.13491208655302741918';
    whatsapp.receiveText({ userId, username: 'ada', text: 'Guess who' });
    await eventually('it is answered', () => expect(sentTo(userId)).toHaveLength(1));
    whatsapp.receiveText({ userId, from: '491700000004', text: 'It is me' });
    await eventually('it is answered at the number', () => expect(sentTo('491700000004')).toHaveLength(1));
    const rows = await gateway.sql(
      `SELECT participant_id FROM conversations WHERE participant_id IN ($1, '491700000004')`,
      [userId],
    );
    expect(rows).toEqual([{ participant_id: '491700000004' }]);
  });

  it('keeps one conversation with a number, however a client writes it', async () => {
    expect(await send('+49 170 0000011', 'Good morning')).toMatchObject({
      recipient: '+49 170 0000011',
      status: 'sent',
    });
    whatsapp.receiveText({ from: '491700000011', text: 'Good evening' });
    await eventually('it is answered', () => expect(sentTo('491700000011')).toHaveLength(1));
    const rows = await gateway.sql(`SELECT participant_id FROM conversations WHERE participant_id LIKE '%0000011'`);
    expect(rows).toEqual([{ participant_id: '491700000011' }]);
  });

  it('names why a message was refused', async () => {
    whatsapp.refuse('491700000005', 131047);
    const result = await send('491700000005');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'window_closed', platform_code: '131047', retryable: false },
    });
    expect(await eventsOf(result.message_id)).toEqual(['message.failed']);
  });

  it('waits out the pause of a rate limit', async () => {
    whatsapp.refuseNextSend(130429);
    expect(await send('491700000006')).toMatchObject({ status: 'sent' });
  });

  it('fails a sent message, with the reason, when a receipt says so', async () => {
    const { message_id: id } = await send('491700000007');
    const [sent] = sentTo('491700000007');
    expect(await whatsapp.post(whatsapp.statusValue(sent!, 'failed', { code: 131026 }))).toBe(200);
    expect(await whatsapp.post(whatsapp.statusValue(sent!, 'delivered'))).toBe(200);
    expect(await read(id)).toMatchObject({
      status: 'failed',
      delivered_at: null,
      error: { code: 'recipient_unreachable', platform_code: '131026' },
    });
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.failed']);
  });

  it('delivers a split message when the last of its parts is, and says when it was read', async () => {
    const { message_id: id } = await send('491700000008', 'word '.repeat(1_500));
    const parts = sentTo('491700000008');
    expect(parts).toHaveLength(2);
    await whatsapp.post(whatsapp.statusValue(parts[1]!, 'read'));
    expect(await read(id)).toMatchObject({ status: 'sent', delivered_at: null });
    await whatsapp.post(whatsapp.statusValue(parts[0]!, 'delivered'));
    expect(await read(id)).toMatchObject({ status: 'delivered', confirmation: 'device', read_at: null });
    await whatsapp.post(whatsapp.statusValue(parts[0]!, 'read'));
    expect((await read(id)).read_at).not.toBeNull();
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.delivered']);
  });

  it('sends only the rest of a split message after a pause, also when the first part was read meanwhile', async () => {
    const recipient = '491700000013';
    whatsapp.beforeAnswer = async () => whatsapp.refuseNextSend(80007);
    const { message_id: id, status } = await send(recipient, 'word '.repeat(1_500));
    expect(status).toBe('pending');
    whatsapp.beforeAnswer = () => Promise.resolve();
    expect(await whatsapp.post(whatsapp.statusValue(sentTo(recipient)[0]!, 'read'))).toBe(200);
    expect(await read(id)).toMatchObject({ status: 'pending', delivered_at: null });
    // The pause of a minute is over.
    await gateway.sql('UPDATE message_tasks SET next_at = now()');
    await eventually('it is sent', async () => expect((await read(id)).status).toBe('sent'));
    const parts = sentTo(recipient);
    expect(parts).toHaveLength(2);
    await whatsapp.post(whatsapp.statusValue(parts[1]!, 'delivered'));
    expect(await read(id)).toMatchObject({ status: 'delivered', read_at: null });
    expect(await eventsOf(id)).toEqual(['message.sent', 'message.delivered']);
  });

  it('shows which part of a failed split message arrived', async () => {
    const { message_id: id } = await send('491700000009', 'word '.repeat(1_500));
    const parts = sentTo('491700000009');
    await whatsapp.post(
      whatsapp.statusValue(parts[0]!, 'delivered'),
      whatsapp.statusValue(parts[1]!, 'failed', { code: 131000 }),
    );
    expect((await read(id)).status).toBe('failed');
    const rows = await gateway.sql<{ status: string }>(
      `SELECT p.status FROM message_parts p WHERE platform_message_id = ANY($1) ORDER BY part_index`,
      [parts.map((part) => part.id)],
    );
    expect(rows.map(({ status }) => status)).toEqual(['delivered', 'failed']);
  });

  it('ignores receipts of messages that it did not send', async () => {
    const foreign = { id: 'wamid.foreign', to: FROM } as WhatsAppSent;
    expect(await whatsapp.post(whatsapp.statusValue(foreign, 'delivered'))).toBe(200);
  });

  it.each([
    [['delivered'], { status: 'delivered', confirmation: 'device', read_at: null }],
    [['read', 'delivered', 'sent'], { status: 'delivered', read_at: expect.any(String) as string }],
    [['failed'], { status: 'failed', error: { platform_code: '131026' } }],
  ] as [WhatsAppStatus[], object][])(
    'does not lose receipts (%j) that come before the answer to the send',
    async (statuses, expected) => {
      const recipient = `4917100${statuses.join('').length}`;
      whatsapp.beforeAnswer = async (sent) => {
        for (const status of statuses)
          await whatsapp.post(whatsapp.statusValue(sent, status, status === 'failed' ? { code: 131026 } : {}));
      };
      const { message_id: id } = await send(recipient);
      await eventually('the receipts are taken in', async () => expect(await read(id)).toMatchObject(expected));
      const last = statuses.includes('failed') ? 'message.failed' : 'message.delivered';
      expect(await eventsOf(id)).toEqual(['message.sent', last]);
      const early = await gateway.sql('SELECT FROM early_receipts WHERE platform_message_id = $1', [
        sentTo(recipient)[0]!.id,
      ]);
      expect(early).toEqual([]);
    },
  );

  it('loses no receipt that comes in the moment in which its send is recorded', async () => {
    const posted: Promise<number>[] = [];
    whatsapp.beforeAnswer = async (sent) => void posted.push(whatsapp.post(whatsapp.statusValue(sent, 'delivered')));
    const ids: string[] = [];
    await sideBySide([...Array(200).keys()], 10, async () => {
      ids.push((await send('491700000012')).message_id);
    });
    expect(new Set(await Promise.all(posted))).toEqual(new Set([200]));
    await eventually('every message is delivered', async () => {
      const rows = await gateway.sql<{ status: string }>(
        `SELECT DISTINCT m.status FROM messages m JOIN conversations c ON c.id = m.conversation_id
         WHERE c.participant_id = '491700000012'`,
      );
      expect(rows).toEqual([{ status: 'delivered' }]);
    });
    const [events] = await gateway.sql<{ count: number }>(
      `SELECT count(*)::integer FROM events WHERE type = 'message.delivered' AND body::jsonb -> 'data' ->> 'message_id' = ANY($1)`,
      [ids],
    );
    expect(events).toEqual({ count: 200 });
  });

  it('ends right for 1,000 messages whose receipts come shuffled and twice', async () => {
    const outcomes: { receipts: WhatsAppStatus[]; ends: string; isRead: boolean }[] = [
      { receipts: ['sent'], ends: 'sent', isRead: false },
      { receipts: ['sent', 'delivered'], ends: 'delivered', isRead: false },
      { receipts: ['sent', 'delivered', 'read'], ends: 'delivered', isRead: true },
      { receipts: ['read'], ends: 'delivered', isRead: true },
      { receipts: ['sent', 'failed'], ends: 'failed', isRead: false },
    ];
    const expected = new Map<string, (typeof outcomes)[number]>();
    const before = whatsapp.sent.length;
    await sideBySide(
      Array.from({ length: 1_000 }, (_, index) => index),
      25,
      async (index) => {
        const { message_id: id } = await send(`4917200${String(index % 100).padStart(3, '0')}`, `Number ${index}`);
        expected.set(id, outcomes[index % outcomes.length]!);
      },
    );
    const receipts = whatsapp.sent.slice(before).flatMap((sent) =>
      expected.get(sent.callbackData!)!.receipts.map((status) => {
        return whatsapp.statusValue(sent, status, status === 'failed' ? { code: 131026 } : {});
      }),
    );
    const batches: (typeof receipts)[] = [];
    const shuffled = shuffle([...receipts, ...receipts]);
    while (shuffled.length > 0) batches.push(shuffled.splice(0, 1 + (batches.length % 7)));
    const answers = new Set<number>();
    const startedAt = performance.now();
    await sideBySide(batches, 8, async (batch) => void answers.add(await whatsapp.post(...batch)));
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stdout.write(`${receipts.length * 2} receipts in ${seconds.toFixed(1)} s\n`);
    expect([...answers]).toEqual([200]);

    const wrong: object[] = [];
    for (const [id, { ends, isRead }] of expected) {
      const { status, read_at: readAt } = await read(id);
      if (status !== ends || (readAt !== null) !== isRead) wrong.push({ id, status, readAt, ends, isRead });
    }
    expect(wrong).toEqual([]);
    const counts = await gateway.sql<{ type: string; events: number; messages: number }>(
      `SELECT type, count(*)::integer AS events, count(DISTINCT body::jsonb -> 'data' ->> 'message_id')::integer AS messages
       FROM events WHERE body::jsonb -> 'data' ->> 'message_id' = ANY($1) GROUP BY type ORDER BY type`,
      [[...expected.keys()]],
    );
    expect(counts).toEqual([
      { type: 'message.delivered', events: 600, messages: 600 },
      { type: 'message.failed', events: 200, messages: 200 },
      { type: 'message.sent', events: 1_000, messages: 1_000 },
    ]);
  }, 120_000);
});

async function sideBySide<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item; (item = waiting.shift()) !== undefined;) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Fisher and Yates, with a fixed seed: a failure can be repeated. */
function shuffle<T>(items: T[]): T[] {
  let seed = 42;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [items[index], items[other]] = [items[other]!, items[index]!];
  }
  return items;
}
