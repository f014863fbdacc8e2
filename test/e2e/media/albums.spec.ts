import type { Attachment } from '#contracts';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { png } from '../../support/png';
import { withClient } from '../../support/postgres';

interface Shown {
  id: string;
  content: string;
  attachments: Attachment[];
}

describe('An album', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  let gateway: TestGateway;
  let albums = 0;

  beforeAll(async () => {
    await Promise.all([telegram.start(), anthropic.start()]);
    gateway = await startTestGateway({ telegram, anthropic });
    await gateway.connected('telegram');
  });

  const item = (media_group_id: string, caption?: string) => {
    const bytes = png(64, 48, 4_000 + (albums += 1));
    const file_id = telegram.addFile(bytes);
    const photo = [{ file_id, file_unique_id: `p${albums}`, width: 64, height: 48, file_size: bytes.length }];
    return { photo, media_group_id, ...(caption !== undefined && { caption }) };
  };
  const messagesWith = async (text: string) => {
    const { body } = await gateway.api<Shown[]>('GET', '/messages?expand=details&direction=inbound&per_page=100');
    return body.data.filter(({ content }) => content.includes(text));
  };
  const eventsOf = (chat: number, type: string) =>
    gateway.sql<{ body: string }>(
      `SELECT e.body FROM events e JOIN conversations c ON c.id = e.conversation_id
       WHERE c.participant_id = $1 AND e.type = $2`,
      [String(chat), type],
    );
  const inboundOf = (chat: number) =>
    gateway.sql<{ id: string; content: string }>(
      `SELECT m.id, m.content FROM messages m JOIN conversations c ON c.id = m.conversation_id
       WHERE c.participant_id = $1 AND m.direction = 'inbound'`,
      [String(chat)],
    );

  it('is one message, with the caption of the first item that has one, then its event and one answer', async () => {
    telegram.receiveContent(501, item('a'));
    telegram.receiveContent(501, item('a', 'Our holiday'));
    telegram.receiveContent(501, item('a', 'Too late'));
    await eventually('the items are joined', async () => {
      const [message, ...others] = await messagesWith('Our holiday');
      expect(others).toEqual([]);
      expect(message!.attachments.map(({ status }) => status)).toEqual(['stored', 'stored', 'stored']);
    });
    await eventually('its event follows', async () => {
      const events = await eventsOf(501, 'message.received');
      const data = events.map(({ body }) => (JSON.parse(body) as { data: Shown }).data);
      expect(data).toMatchObject([{ content: expect.stringContaining('Our holiday') as string }]);
      expect(data[0]!.attachments).toHaveLength(3);
    });
    await eventually('it is answered once', () =>
      expect(telegram.sent.filter(({ chat_id }) => chat_id === 501)).toHaveLength(1),
    );
    expect(await inboundOf(501)).toHaveLength(1);
    expect(await gateway.sql('SELECT FROM albums')).toEqual([]);
  });

  it('has no event and no answer while items arrive', async () => {
    telegram.receiveContent(502, item('b'));
    await eventually('it is stored', async () => expect(await inboundOf(502)).toHaveLength(1));
    expect(await eventsOf(502, 'message.received')).toEqual([]);
    await eventually('its event follows', async () => expect(await eventsOf(502, 'message.received')).toHaveLength(1));
  });

  it('stores an item once, while it is open and after', async () => {
    const items = [item('c'), item('c', 'Twice')];
    const updates = items.map((one) => telegram.receiveContent(503, one));
    const again = () => {
      for (const { message } of updates as unknown as { message: object }[]) telegram.receive({ message });
    };
    again();
    await eventually('it is closed', async () => expect(await eventsOf(503, 'message.received')).toHaveLength(1));
    again();
    telegram.receiveText({ chatId: 503, text: 'Afterwards' });
    await eventually('the text is stored', async () => expect(await messagesWith('Afterwards')).toHaveLength(1));
    const [album] = await messagesWith('Twice');
    expect(album!.attachments).toHaveLength(2);
    expect(await inboundOf(503)).toHaveLength(2);
  });

  it('uses an edited caption, and keeps it when an item without one is edited', async () => {
    type Received = ReturnType<typeof telegram.receiveContent> & { message: object };
    const captioned = telegram.receiveContent(530, item('z', 'First caption')) as Received;
    const other = telegram.receiveContent(530, item('z')) as Received;
    await eventually('it is closed', async () => expect(await eventsOf(530, 'message.received')).toHaveLength(1));
    const now = Math.ceil(Date.now() / 1_000);
    const edit = ({ message }: Received, change: object, edit_date: number) =>
      telegram.receive({ edited_message: { ...message, ...change, edit_date } });
    edit(captioned, { caption: 'Second caption' }, now);
    edit(other, item('z'), now + 1);
    telegram.receiveText({ chatId: 530, text: 'Done' });
    await eventually('all is stored', async () => expect(await messagesWith('Done')).toHaveLength(1));
    expect(await messagesWith('Second caption')).toHaveLength(1);
    expect(await eventsOf(530, 'message.updated')).toHaveLength(1);
  });

  it('loses its caption with the item that has it, and uses one that another item gets', async () => {
    type Received = ReturnType<typeof telegram.receiveContent> & { message: object };
    const other = telegram.receiveContent(531, item('y')) as Received;
    const captioned = telegram.receiveContent(531, item('y', 'To be removed')) as Received;
    const [bare, second] = [1, 2].map(() => telegram.receiveContent(532, item('x')) as Received);
    for (const chat of [531, 532])
      await eventually('it is closed', async () => expect(await eventsOf(chat, 'message.received')).toHaveLength(1));
    const now = Math.ceil(Date.now() / 1_000);
    const edit = ({ message }: Received, change: object, edit_date: number) =>
      telegram.receive({ edited_message: { ...message, ...change, edit_date } });
    edit(captioned, { caption: undefined }, now);
    edit(other, { caption: 'Too late' }, now + 1);
    edit(second!, { caption: 'Given later' }, now);
    edit(bare!, item('x'), now + 1);
    telegram.receiveText({ chatId: 532, text: 'Finished' });
    await eventually('all is stored', async () => expect(await messagesWith('Finished')).toHaveLength(1));
    expect((await inboundOf(531)).map(({ content }) => content)).toEqual(['[photo]']);
    expect((await inboundOf(532)).map(({ content }) => content)).toEqual(['[photo] Given later', 'Finished']);
  });

  it('of another person, or with another id, is a separate message', async () => {
    telegram.receiveContent(504, item('d', 'One'));
    telegram.receiveContent(504, item('e', 'Two'));
    telegram.receiveContent(505, item('d', 'Three'));
    await eventually('all are closed', async () => {
      expect(await eventsOf(504, 'message.received')).toHaveLength(2);
      expect(await eventsOf(505, 'message.received')).toHaveLength(1);
    });
  });

  it('survives a restart', async () => {
    telegram.receiveContent(506, item('f', 'Before'));
    await eventually('the first item is stored', async () => expect(await inboundOf(506)).toHaveLength(1));
    await gateway.stop();
    telegram.receiveContent(506, item('f'));
    gateway = await startTestGateway({ telegram, anthropic, databaseUrl: gateway.databaseUrl });
    await eventually('its event follows', async () =>
      expect((await eventsOf(506, 'message.received')).length).toBeGreaterThan(0),
    );
    expect(telegram.pendingUpdates.length).toBeLessThanOrEqual(1);
  });

  it('whose caption asks for a person and another inbound message never deadlock', async () => {
    const phrases = (list: string[]) =>
      gateway.api('PATCH', '/admin/settings', { handover: { phrases: list, closing_message: null } });
    expect((await phrases(['a person'])).status).toBe(200);
    telegram.receiveContent(577, item('p', 'I want a person'));
    await eventually('the album is open', async () => expect(await inboundOf(577)).toHaveLength(1));
    await gateway.sql(
      `INSERT INTO reply_tasks (conversation_id, environment, requested_seq)
       SELECT id, environment, 0 FROM conversations WHERE participant_id = '577'`,
    );
    await withClient(gateway.databaseUrl, async (client) => {
      // As the statement that stores an inbound message: the conversation, then its task.
      await client.query('BEGIN');
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM conversations WHERE participant_id = '577' FOR NO KEY UPDATE`,
      );
      await eventually('the album waits for the conversation', async () =>
        expect(
          await gateway.sql(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          ),
        ).not.toEqual([]),
      );
      // An album that had it would wait for this transaction, and this one for it.
      await client.query('SELECT FROM reply_tasks WHERE conversation_id = $1 FOR UPDATE NOWAIT', [rows[0]!.id]);
      await client.query('COMMIT');
    });
    await eventually('a person is requested', async () =>
      expect(await eventsOf(577, 'conversation.handover_requested')).toHaveLength(1),
    );
    await phrases([]);
  });
});
