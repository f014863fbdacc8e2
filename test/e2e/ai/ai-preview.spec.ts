import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

interface Message {
  id: string;
  conversation_id: string;
  content: string;
}

describe('POST /ai/preview', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  const gateway = useGateway({ anthropic, telegram });
  /** Oldest first: two questions, each with its answer. */
  let messages: Message[];

  const listed = async () => (await gateway.api<Message[]>('GET', '/messages?sort=created_at&per_page=100')).body.data;
  const preview = (body: object, key?: string) =>
    gateway.api<{ response: string; model: string }>('POST', '/ai/preview', body, { key });
  /** What the provider was last asked. */
  const asked = () => anthropic.requestsOf('messages').at(-1)!.body as Anthropic.MessageCreateParams;
  const said = ({ messages: all }: Anthropic.MessageCreateParams) =>
    all.map(({ role, content }) => [
      role,
      typeof content === 'string'
        ? content
        : content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    ]);

  beforeAll(async () => {
    anthropic.replyWith(() => 'An answer.');
    for (const text of ['When do you open?', 'And on Sunday?']) {
      telegram.receiveText({ chatId: 5, text });
      const sent = telegram.sent.length;
      await telegram.waitForSent(sent + 1);
    }
    messages = await eventually('all are stored', async () => {
      const all = await listed();
      expect(all).toHaveLength(4);
      return all;
    });
    anthropic.replyWith(() => 'Another answer.');
  });

  const conversation = () => messages[0]!.conversation_id;

  it('answers the newest message with the given settings and bills it, without sending or storing a message', async () => {
    const requests = async () =>
      (await gateway.api<{ usage: { today: { requests: number } } }>('GET', '/ai/status')).body.data.usage.today
        .requests;
    const [billed, sent] = [await requests(), telegram.sent.length];
    const settings = { system_prompt: 'Be brief.', model: 'claude-haiku-4-5', max_tokens: 77, context_messages: 2 };
    const { status, body } = await preview({ conversation_id: conversation(), settings });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      response: 'Another answer.',
      model: 'claude-haiku-4-5',
      latency_ms: expect.any(Number),
    });
    expect(asked()).toMatchObject({ model: 'claude-haiku-4-5', max_tokens: 77 });
    expect(JSON.stringify(asked().system)).toContain('Be brief.');
    expect(said(asked())).toEqual(
      [
        ['assistant', 'An answer.'],
        ['user', 'And on Sunday?'],
      ].slice(-said(asked()).length),
    );
    expect(await requests()).toBe(billed + 1);
    expect(telegram.sent).toHaveLength(sent);
    expect(await listed()).toEqual(messages);
  });

  it.each([
    ['an inbound message', 0],
    ['the answer to it', 1],
  ])('answers what the person wrote last, with message_id of %s', async (_, index) => {
    const { id: message_id } = messages[index]!;
    const { status } = await preview({ conversation_id: conversation(), message_id, settings: { temperature: 1 } });
    expect(status).toBe(200);
    expect(said(asked())).toEqual([['user', 'When do you open?']]);
  });

  it('uses the settings of the account, and tries changes of them; null inherits', async () => {
    const { id } = await gateway.integration<{ id: string }>('telegram');
    const own = { ai: { system_prompt: 'Answer like a baker.', model: 'claude-haiku-4-5' } };
    const change = (settings: object) => gateway.api('PATCH', `/integrations/${id}`, { settings });
    await change(own);
    await preview({ conversation_id: conversation(), settings: { system_prompt: 'Be brief.', max_tokens: 77 } });
    expect(asked()).toMatchObject({ model: 'claude-haiku-4-5', max_tokens: 77 });
    expect(JSON.stringify(asked().system)).toContain('Answer like a baker.');
    await preview({
      conversation_id: conversation(),
      settings: { system_prompt: 'Be brief.' },
      account_settings: { ai: { system_prompt: 'Sing.' } },
    });
    expect(asked()).toMatchObject({ model: 'claude-haiku-4-5' });
    expect(JSON.stringify(asked().system)).toContain('Sing.');
    await preview({
      conversation_id: conversation(),
      settings: { system_prompt: 'Be brief.' },
      account_settings: { ai: { system_prompt: null, model: null } },
    });
    expect(asked().model).not.toBe('claude-haiku-4-5');
    expect(JSON.stringify(asked().system)).toContain('Be brief.');
    expect((await gateway.integration<{ settings: object }>('telegram')).settings).toMatchObject(own);
    await change({ ai: null });
  });

  it('refuses invalid settings as PATCH does, and names them', async () => {
    const settings = { temperature: 7, colour: 'red' };
    const { status, body } = await preview({ conversation_id: conversation(), settings });
    expect(status).toBe(400);
    expect(JSON.stringify(body.error.details)).toMatch(/settings\.temperature.*settings\.colour/);
    expect(await preview({ conversation_id: conversation() })).toMatchObject(
      expectedError('MISSING_PARAMETER', { parameter: 'settings' }),
    );
    expect((await preview({ conversation_id: conversation(), settings: {} })).body.error.code).toBe('INVALID_REQUEST');
    expect((await preview({ conversation_id: conversation(), settings: {}, colour: 1 })).body.error.code).toBe(
      'INVALID_REQUEST',
    );
  });

  it('finds only conversations of the environment, and messages of the conversation', async () => {
    const settings = { temperature: 1 };
    const unknown = 'msg_01h455vb4pex5vsknk084sn02q';
    expect((await preview({ conversation_id: conversation(), settings }, gateway.testKey)).status).toBe(404);
    for (const id of ['conv_01h455vb4pex5vsknk084sn02q', 'nonsense'])
      expect(await preview({ conversation_id: id, settings })).toMatchObject(
        expectedError('RESOURCE_NOT_FOUND', { resource: 'conversation', id }),
      );
    expect(await preview({ conversation_id: conversation(), message_id: unknown, settings })).toMatchObject(
      expectedError('RESOURCE_NOT_FOUND', { resource: 'message', id: unknown }),
    );
  });

  it('refuses a conversation in which nobody has written', async () => {
    const sent = await gateway.api<{ message_id: string }>('POST', '/messages/send', {
      platform: 'telegram',
      recipient: '6',
      message: 'Your order is ready.',
    });
    const { body } = await gateway.api<Message>('GET', `/messages/${sent.body.data.message_id}`);
    const answer = await preview({ conversation_id: body.data.conversation_id, settings: { temperature: 1 } });
    expect(answer.body.error.code).toBe('INVALID_REQUEST');
  });
});
