import { expectedAccount } from '../../support/expected';
import type { WhatsAppSent, WhatsAppStatus } from '../../fakes/whatsapp-types';
import { eventually } from '../../support/eventually';
import { mulberry32 } from '../../support/random';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

describe('WhatsApp receipts', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());
  afterEach(() => {
    whatsapp.beforeAnswer = () => Promise.resolve();
  });

  it('fail a sent message, with the reason', async () => {
    const { message_id: id } = await scene.send('491700000007');
    const [sent] = scene.sentTo('491700000007');
    expect(await whatsapp.post(whatsapp.statusValue(sent!, 'failed', { code: 131026 }))).toBe(200);
    expect(await whatsapp.post(whatsapp.statusValue(sent!, 'delivered'))).toBe(200);
    expect(await scene.read(id)).toMatchObject({
      status: 'failed',
      delivered_at: null,
      error: { code: 'recipient_unreachable', platform_code: '131026' },
    });
    expect(await scene.eventsOf(id)).toEqual(['message.sent', 'message.failed']);
  });

  it('deliver a split message after the last of its parts, and report when it was read', async () => {
    const { message_id: id } = await scene.send('491700000008', 'word '.repeat(1_500));
    const parts = scene.sentTo('491700000008');
    expect(parts).toHaveLength(2);
    await whatsapp.post(whatsapp.statusValue(parts[1]!, 'read'));
    expect(await scene.read(id)).toMatchObject({ status: 'sent', delivered_at: null });
    await whatsapp.post(whatsapp.statusValue(parts[0]!, 'delivered'));
    expect(await scene.read(id)).toMatchObject({ status: 'delivered', confirmation: 'device', read_at: null });
    await whatsapp.post(whatsapp.statusValue(parts[0]!, 'read'));
    const { read_at } = await scene.read(id);
    expect(read_at).not.toBeNull();
    await whatsapp.post(whatsapp.statusValue(parts[0]!, 'read'));
    await whatsapp.post(whatsapp.statusValue(parts[1]!, 'read'));
    expect(await scene.eventsOf(id)).toEqual(['message.sent', 'message.delivered', 'message.read']);
    const [event] = await scene.gateway.sql<{ data: object }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = 'message.read' AND body::jsonb -> 'data' ->> 'message_id' = $1`,
      [id],
    );
    expect(event!.data).toEqual({
      message_id: id,
      conversation_id: expect.stringMatching(/^conv_/),
      platform: 'whatsapp',
      account: expectedAccount(),
      environment: 'live',
      recipient: { id: '491700000008', name: null },
      read_at,
    });
  });

  it('report delivery before reading if one receipt reports both', async () => {
    const { message_id: id } = await scene.send('491700000021');
    await whatsapp.post(whatsapp.statusValue(scene.sentTo('491700000021')[0]!, 'read'));
    expect(await scene.eventsOf(id)).toEqual(['message.sent', 'message.delivered', 'message.read']);
  });

  it('do not repeat parts: after a pause only the rest of a split message is sent', async () => {
    const recipient = '491700000013';
    whatsapp.beforeAnswer = async () => whatsapp.refuseNextSend(80007);
    const { message_id: id, status } = await scene.send(recipient, 'word '.repeat(1_500));
    expect(status).toBe('pending');
    whatsapp.beforeAnswer = () => Promise.resolve();
    expect(await whatsapp.post(whatsapp.statusValue(scene.sentTo(recipient)[0]!, 'read'))).toBe(200);
    expect(await scene.read(id)).toMatchObject({ status: 'pending', delivered_at: null });
    // The pause of a minute is over.
    await scene.gateway.sql('UPDATE message_tasks SET next_at = now()');
    await eventually('it is sent', async () => expect((await scene.read(id)).status).toBe('sent'));
    const parts = scene.sentTo(recipient);
    expect(parts).toHaveLength(2);
    await whatsapp.post(whatsapp.statusValue(parts[1]!, 'delivered'));
    expect(await scene.read(id)).toMatchObject({ status: 'delivered', read_at: null });
    expect(await scene.eventsOf(id)).toEqual(['message.sent', 'message.delivered']);
  });

  it('show which part of a failed split message arrived', async () => {
    const { message_id: id } = await scene.send('491700000009', 'word '.repeat(1_500));
    const parts = scene.sentTo('491700000009');
    await whatsapp.post(
      whatsapp.statusValue(parts[0]!, 'delivered'),
      whatsapp.statusValue(parts[1]!, 'failed', { code: 131000 }),
    );
    expect((await scene.read(id)).status).toBe('failed');
    const rows = await scene.gateway.sql<{ status: string }>(
      `SELECT p.status FROM message_parts p WHERE platform_message_id = ANY($1) ORDER BY part_index`,
      [parts.map((part) => part.id)],
    );
    expect(rows.map(({ status }) => status)).toEqual(['delivered', 'failed']);
  });

  /** Messages to different people, each sent. */
  const sendEach = async (recipients: readonly string[]) => {
    for (const recipient of recipients) await scene.send(recipient);
    return recipients.map((recipient) => scene.sentTo(recipient)[0]!);
  };
  const numbers = (prefix: string, count: number) =>
    [...Array(count).keys()].map((number) => `${prefix}${number + 10}`);
  const toEach = `FROM messages m JOIN conversations c ON c.id = m.conversation_id
    WHERE m.direction = 'outbound' AND c.participant_id = ANY ($1)`;

  it('that arrive together are stored in one transaction', async () => {
    const recipients = numbers('49170014', 16);
    const sent = await sendEach(recipients);
    expect(await whatsapp.post(...sent.map((one) => whatsapp.statusValue(one, 'delivered')))).toBe(200);
    const rows = await scene.gateway.sql(
      `SELECT m.status, count(*)::integer AS messages, count(DISTINCT m.xmin::text)::integer AS transactions ${toEach} GROUP BY 1`,
      [recipients],
    );
    expect(rows).toEqual([{ status: 'delivered', messages: 16, transactions: 1 }]);
  });

  it('that arrive together are all stored except one that the database refuses', async () => {
    const recipients = numbers('49170015', 8);
    const sent = await sendEach(recipients);
    await scene.gateway.sql(
      `ALTER TABLE message_parts ADD CONSTRAINT refused CHECK (status = 'sent' OR platform_message_id <> '${sent[3]!.id}') NOT VALID`,
    );
    const together = () => Promise.all(sent.map((one) => whatsapp.post(whatsapp.statusValue(one, 'delivered'))));
    const answers = await together();
    expect(answers).toEqual(sent.map((_, index) => (index === 3 ? 503 : 200)));
    const statuses = async () =>
      (
        await scene.gateway.sql<{ status: string }>(`SELECT m.status ${toEach} ORDER BY c.participant_id`, [recipients])
      ).map(({ status }) => status);
    expect(await statuses()).toEqual(sent.map((_, index) => (index === 3 ? 'sent' : 'delivered')));
    await scene.gateway.sql('ALTER TABLE message_parts DROP CONSTRAINT refused');
    // As WhatsApp does with what was not acknowledged.
    expect(new Set(await together())).toEqual(new Set([200]));
    expect(new Set(await statuses())).toEqual(new Set(['delivered']));
  });

  it('of unknown messages are ignored', async () => {
    const foreign = { id: 'wamid.foreign', to: '491701234567' } as WhatsAppSent;
    expect(await whatsapp.post(whatsapp.statusValue(foreign, 'delivered'))).toBe(200);
  });

  it.each([
    [['delivered'], { status: 'delivered', confirmation: 'device', read_at: null }],
    [['read', 'delivered', 'sent'], { status: 'delivered', read_at: expect.any(String) as string }],
    [['failed'], { status: 'failed', error: { platform_code: '131026' } }],
  ] as [WhatsAppStatus[], object][])(
    '(%j) that arrive before the response to the send are kept',
    async (statuses, expected) => {
      const recipient = `4917100${statuses.join('').length}`;
      whatsapp.beforeAnswer = async (sent) => {
        for (const status of statuses)
          await whatsapp.post(whatsapp.statusValue(sent, status, status === 'failed' ? { code: 131026 } : {}));
      };
      const { message_id: id } = await scene.send(recipient);
      await eventually('the receipts are taken in', async () => expect(await scene.read(id)).toMatchObject(expected));
      const last = statuses.includes('failed') ? 'message.failed' : 'message.delivered';
      const isRead = statuses.includes('read');
      expect(await scene.eventsOf(id)).toEqual(['message.sent', last, ...(isRead ? ['message.read'] : [])]);
      const early = await scene.gateway.sql('SELECT FROM early_receipts WHERE platform_message_id = $1', [
        scene.sentTo(recipient)[0]!.id,
      ]);
      expect(early).toEqual([]);
    },
  );

  it('that arrive while their send is recorded are kept', async () => {
    const posted: Promise<number>[] = [];
    whatsapp.beforeAnswer = async (sent) => void posted.push(whatsapp.post(whatsapp.statusValue(sent, 'delivered')));
    const ids: string[] = [];
    // One person gets 45 at once, see `Pacing`.
    await sideBySide([...Array(200).keys()], 10, async (number) => {
      ids.push((await scene.send(`49170012${number}`)).message_id);
    });
    expect(new Set(await Promise.all(posted))).toEqual(new Set([200]));
    await eventually('every message is delivered', async () => {
      const rows = await scene.gateway.sql<{ status: string }>(
        `SELECT DISTINCT m.status FROM messages m JOIN conversations c ON c.id = m.conversation_id
         WHERE c.participant_id LIKE '49170012%'`,
      );
      expect(rows).toEqual([{ status: 'delivered' }]);
    });
    const [events] = await scene.gateway.sql<{ count: number }>(
      `SELECT count(*)::integer FROM events WHERE type = 'message.delivered' AND body::jsonb -> 'data' ->> 'message_id' = ANY($1)`,
      [ids],
    );
    expect(events).toEqual({ count: 200 });
  });

  it('of 1,000 messages, shuffled and doubled, some before their send is recorded, end in the right state', async () => {
    const outcomes: { receipts: WhatsAppStatus[]; ends: string; isRead: boolean }[] = [
      { receipts: ['sent'], ends: 'sent', isRead: false },
      { receipts: ['sent', 'delivered'], ends: 'delivered', isRead: false },
      { receipts: ['sent', 'delivered', 'read'], ends: 'delivered', isRead: true },
      { receipts: ['read'], ends: 'delivered', isRead: true },
      { receipts: ['sent', 'failed'], ends: 'failed', isRead: false },
    ];
    const expected = new Map<string, (typeof outcomes)[number]>();
    const early: number[] = [];
    whatsapp.beforeAnswer = async (sent) => {
      const index = Number(/^Number (\d+)$/.exec(sent.text)?.[1] ?? Number.NaN);
      // Half of each kind: the receipt that decides is there before the answer to the send.
      if (!(index % 10 < outcomes.length)) return;
      const status = outcomes[index % outcomes.length]!.receipts.at(-1)!;
      early.push(await whatsapp.post(whatsapp.statusValue(sent, status, status === 'failed' ? { code: 131026 } : {})));
    };
    await sideBySide(
      Array.from({ length: 1_000 }, (_, index) => index),
      25,
      async (index) => {
        const { message_id: id } = await scene.send(
          `4917200${String(index % 100).padStart(3, '0')}`,
          `Number ${index}`,
        );
        expected.set(id, outcomes[index % outcomes.length]!);
      },
    );
    expect([early.length, new Set(early)]).toEqual([500, new Set([200])]);
    // Others are answers of the assistant to what the tests before wrote.
    const receipts = whatsapp.sent.flatMap((sent) =>
      (expected.get(sent.callbackData!)?.receipts ?? []).map((status) => {
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
    await sideBySide([...expected], 8, async ([id, { ends, isRead }]) => {
      const { status, read_at: readAt } = await scene.read(id);
      if (status !== ends || (readAt !== null) !== isRead) wrong.push({ id, status, readAt, ends, isRead });
    });
    expect(wrong).toEqual([]);
    const counts = await scene.gateway.sql<{ type: string; events: number; messages: number }>(
      `SELECT type, count(*)::integer AS events, count(DISTINCT body::jsonb -> 'data' ->> 'message_id')::integer AS messages
       FROM events WHERE body::jsonb -> 'data' ->> 'message_id' = ANY($1) GROUP BY type ORDER BY type`,
      [[...expected.keys()]],
    );
    expect(counts).toEqual([
      { type: 'message.delivered', events: 600, messages: 600 },
      { type: 'message.failed', events: 200, messages: 200 },
      { type: 'message.read', events: 400, messages: 400 },
      { type: 'message.sent', events: 1_000, messages: 1_000 },
    ]);
  }, 240_000);
});

async function sideBySide<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item; (item = waiting.shift()) !== undefined;) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Fisher and Yates, with a fixed seed: a failure can be repeated. */
function shuffle<T>(items: T[]): T[] {
  const random = mulberry32(42);
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [items[index], items[other]] = [items[other]!, items[index]!];
  }
  return items;
}
