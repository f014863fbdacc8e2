import type { MessageDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const GROUP = { id: -1_009_500_001, type: 'supergroup', title: 'Team' };
const NORA = { id: 9_100_004, is_bot: false, first_name: 'Nora' };
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

  const asks = (words: string) =>
    eventually('the assistant is asked', () => {
      expect(asked.at(-1)).toContain(JSON.stringify(words).slice(1, -1));
    });
  const readOf = async (content: string): Promise<MessageDto> => {
    const { body } = await gateway.api<MessageDto[]>('GET', '/messages?expand=details&direction=inbound&per_page=100');
    return body.data.find((message) => message.content === content)!;
  };

  it('gets the author of each message in a group, and no name in a private chat', async () => {
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

  it('gets the quoted text of a Telegram message, also if the original is unknown', async () => {
    telegram.receive({
      message: {
        message_id: 101,
        date: NOW,
        from: NORA,
        chat: { id: NORA.id, type: 'private', first_name: 'Nora' },
        text: 'is this still right?',
        reply_to_message: {
          message_id: 77,
          date: NOW - 100_000,
          from: { id: 777_000_777, is_bot: true, first_name: 'Field' },
          chat: { id: NORA.id, type: 'private' },
          text: 'Opening 9. Delivery free above 50 euro. Returns 14 days.',
        },
        quote: { text: 'Delivery free above 50 euro', position: 11, is_manual: true },
      },
    });
    await asks('> Delivery free above 50 euro\nis this still right?');
    expect((await readOf('is this still right?')).reply_to).toMatchObject({
      message_id: null,
      content: 'Delivery free above 50 euro',
    });
  });

  it('gets the text of a message that WhatsApp quotes by its id', async () => {
    const request = { platform: 'whatsapp', recipient: '491700000004', message: 'We have rye and spelt.' };
    const { body } = await gateway.api<{ message_id: string }>('POST', '/messages/send', request);
    const { id } = whatsapp.sent.find(({ to }) => to === '491700000004')!;
    const context = { from: '15550783881', id };
    whatsapp.receive(
      { type: 'text', text: { body: 'this one please' }, context },
      { from: '491700000004', name: 'Bia' },
    );
    await asks('> We have rye and spelt.\nthis one please');
    expect((await readOf('this one please')).reply_to).toEqual({
      message_id: body.data.message_id,
      sender: null,
      content: 'We have rye and spelt.',
    });
  });
});
