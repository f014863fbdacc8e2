import type { MessageDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const GROUP = { id: -1_009_500_001, type: 'supergroup', title: 'Team' };
const NOW = Math.floor(Date.now() / 1_000);

interface Call {
  messages: { role: string; content: unknown }[];
}

describe('The assistant', () => {
  const telegram = new TelegramFake();
  const whatsapp = new WhatsAppFake();
  const anthropic = new AnthropicFake();
  const asked: string[] = [];
  let gateway: TestGateway;

  beforeAll(async () => {
    await Promise.all([telegram.start(), whatsapp.start(), anthropic.start()]);
    anthropic.replyWith((request) => {
      asked.push(JSON.stringify((request as unknown as Call).messages.at(-1)!.content));
      return 'Well.';
    });
    gateway = await startTestGateway({ telegram, anthropic, env: whatsapp.env });
    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
    await Promise.all([gateway.connected('telegram'), gateway.connected('whatsapp')]);
  });
  afterAll(() => whatsapp.shutDown());

  const readOf = async (content: string): Promise<MessageDto> => {
    const { body } = await gateway.api<MessageDto[]>('GET', '/messages?expand=details&direction=inbound&per_page=100');
    return body.data.find((message) => message.content === content)!;
  };

  it('sees who wrote each message of a group, and no name in a conversation of two', async () => {
    const write = (id: number, first_name: string, text: string) =>
      telegram.receive({
        message: { message_id: 100 + id, date: NOW, from: { id, is_bot: false, first_name }, chat: GROUP, text },
      });
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    write(1, 'Ada', 'I will take Monday');
    write(2, 'Ben', 'I take Tuesday');
    await eventually('both are stored', async () => expect(await readOf('I take Tuesday')).toBeDefined());
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: true } });
    write(3, 'Cleo', '@gateway_bot who has Tuesday?');
    await eventually('the assistant is asked', () => expect(asked.at(-1)).toContain('Cleo: @gateway_bot'));
    expect(asked.at(-1)).toContain('Ben: I take Tuesday');
    expect(await readOf('I will take Monday')).toMatchObject({ sender: { id: '1', name: 'Ada', username: null } });
    telegram.receiveText({ chatId: 77, text: 'Just me', from: { id: 77, first_name: 'Dan' } });
    await eventually('the assistant is asked', () => expect(asked.at(-1)).toContain('Just me'));
    expect(asked.at(-1)).not.toContain('Dan');
  });
});
