import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('What people send on Telegram', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  let gateway: TestGateway;

  beforeAll(async () => {
    await Promise.all([telegram.start(), anthropic.start()]);
    gateway = await startTestGateway({ telegram, anthropic });
    await gateway.connected('telegram');
  });

  /** The messages of a chat that its receivers were told of. */
  const toldOf = async (chat: number) => {
    const rows = await gateway.sql<{ content: string; body: string }>(
      `SELECT m.content, e.body FROM messages m
       JOIN conversations c ON c.id = m.conversation_id
       LEFT JOIN events e ON e.conversation_id = c.id AND e.type = 'message.received'
       WHERE c.participant_id = $1 AND m.direction = 'inbound'`,
      [String(chat)],
    );
    return rows.filter(({ content, body }) => body.includes(JSON.stringify(content))).map(({ content }) => content);
  };
  const answersTo = (chat: number) => telegram.sent.filter(({ chat_id }) => chat_id === chat);

  it('a rich message and a checklist are stored, published and answered', async () => {
    telegram.receiveRich(801, [
      { type: 'heading', size: 2, text: 'Order' },
      { type: 'list', items: [{ blocks: [{ type: 'paragraph', text: 'apples' }] }] },
    ]);
    telegram.receiveContent(802, { checklist: { title: 'Move in', tasks: [{ id: 1, text: 'Keys' }] } });
    await eventually('both are stored and answered', async () => {
      expect(await toldOf(801)).toEqual(['Order\n- apples']);
      expect(await toldOf(802)).toEqual(['[checklist] Move in: Keys']);
      expect([answersTo(801), answersTo(802)].map(({ length }) => length)).toEqual([1, 1]);
    });
  });

  it('an unknown kind is stored and published, but not answered; a service message is ignored', async () => {
    telegram.receiveContent(803, { new_chat_title: 'Depot' });
    telegram.receiveContent(803, { hologram_note: { file_id: 'h1' } });
    telegram.receiveText({ chatId: 804, text: 'Hello' });
    await eventually('the last message is answered', () => expect(answersTo(804)).toHaveLength(1));
    expect(await toldOf(803)).toEqual(['[unsupported message: hologram_note]']);
    expect(answersTo(803)).toEqual([]);
  });
});
