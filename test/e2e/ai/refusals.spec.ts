import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { MessageDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { textOf } from '../../fakes/anthropic-types';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

const MODEL = 'claude-sonnet-5-5';
const FALLBACK = 'claude-haiku-4-5';

describe('A refusal of the AI provider', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  const gateway = useGateway({ anthropic, telegram });
  let chatId = 500;
  /** The models that refuse, and the text before the refusal. */
  let refusing: string[];
  let begun: string;

  beforeEach(async () => {
    chatId += 1;
    refusing = [MODEL];
    begun = '';
    anthropic.replyWith(({ model }) =>
      refusing.includes(model) ? { text: begun, stopReason: 'refusal' } : `Answer of ${model}`,
    );
    await settings({ ai: { fallback_models: [FALLBACK] } });
  });

  const settings = async (body: object) =>
    expect((await gateway.api('PATCH', '/admin/settings', body)).status).toBe(200);
  const sentHere = () => telegram.sent.filter(({ chat_id }) => chat_id === chatId).map(({ text }) => text);
  const modelsSince = (before: number) =>
    anthropic
      .requestsOf('messages')
      .slice(before)
      .map(({ body }) => body.model);
  const requested = (reason = 'refusal') =>
    eventually('a person is requested', async () => {
      const { body } = await gateway.api<ConversationDto[]>('GET', '/conversations?handling=requested&per_page=100');
      const found = body.data.find(({ participant }) => participant.id === String(chatId));
      expect(found).toMatchObject({ handover: { reason } });
      return found!;
    });
  /** The messages of the last request. */
  const asked = () =>
    anthropic
      .requestsOf('messages')
      .at(-1)!
      .body.messages.map(({ content }) => textOf(content));
  const generate = (accept?: string) =>
    gateway.api('POST', '/ai/generate', { message: 'How?' }, accept ? { headers: { accept } } : {});

  describe.each([
    ['without text', ''],
    ['after the beginning of a text', 'I can start by'],
  ])('%s', (_, text) => {
    beforeEach(() => void (begun = text));

    it('is answered by a fallback model', async () => {
      const before = anthropic.requestsOf('messages').length;
      telegram.receiveText({ chatId, text: 'How do I do it?' });
      await eventually('the answer arrives', () => expect(sentHere()).toEqual([`Answer of ${FALLBACK}`]));
      expect(modelsSince(before)).toEqual([MODEL, FALLBACK]);
      expect((await generate()).body.data).toMatchObject({ response: `Answer of ${FALLBACK}`, model: FALLBACK });
    });

    it('that a fallback model answers is left out of later contexts, and its answer is not', async () => {
      telegram.receiveText({ chatId, text: 'When do you open?' });
      await eventually('the first answer arrives', () => expect(sentHere()).toHaveLength(1));
      refusing = [];
      telegram.receiveText({ chatId, text: 'And on Sunday?' });
      await eventually('the next answer arrives', () => expect(sentHere()).toHaveLength(2));
      expect(asked()).not.toContain('When do you open?');
      expect(asked().join('\n')).toContain(`Answer of ${FALLBACK}`);
      expect(asked().at(-1)).toBe('And on Sunday?');

      const { body } = await gateway.api<MessageDto[]>('GET', '/messages?per_page=100&direction=outbound');
      const { id, conversation_id } = body.data.find(({ content }) => content === `Answer of ${FALLBACK}`)!;
      const preview = { conversation_id, message_id: id, settings: { temperature: 1 } };
      expect(await gateway.api('POST', '/ai/preview', preview)).toMatchObject({ status: 200 });
      expect(asked()).toEqual(['When do you open?']);
    });

    it('is left out of later contexts if a fallback model asks for a person', async () => {
      const tools = [{ name: 'hand_over', input: { reason: 'cannot help', summary: 'A question.' } }];
      anthropic.replyWith(({ model }) =>
        model === MODEL ? { text: begun, stopReason: 'refusal' } : { text: 'I will ask.', tools },
      );
      telegram.receiveText({ chatId, text: 'A forbidden question' });
      const { id } = await requested('assistant');
      anthropic.replyWith(() => 'At nine.');
      await gateway.api('POST', `/conversations/${id}/resume`);
      telegram.receiveText({ chatId, text: 'When do you open?' });
      await eventually('the answer arrives', () => expect(sentHere()).toEqual(['At nine.']));
      expect(asked()).toEqual(['When do you open?']);
    });

    it('of every model requests a person, sends nothing, and is left out of later contexts', async () => {
      refusing = [MODEL, FALLBACK];
      const before = anthropic.requestsOf('messages').length;
      telegram.receiveText({ chatId, text: 'A forbidden question' });
      const { id } = await requested();
      expect(modelsSince(before)).toEqual([MODEL, FALLBACK]);
      const [failed] = await gateway.sql<{ error: object }>(
        `SELECT body::json -> 'data' -> 'error' AS error FROM events WHERE type = 'ai.error' AND body LIKE '%' || $1 || '%'`,
        [id],
      );
      expect(failed!.error).toMatchObject({ type: 'refusal', retryable: false });

      refusing = [];
      const preview = { conversation_id: id, settings: { model: FALLBACK } };
      expect((await gateway.api('POST', '/ai/preview', preview)).body.data).toMatchObject({ model: FALLBACK });
      expect(asked()).toEqual(['A forbidden question']);

      await gateway.api('POST', `/conversations/${id}/resume`);
      telegram.receiveText({ chatId, text: 'When do you open?' });
      await eventually('the answer arrives', () => expect(sentHere()).toEqual([`Answer of ${MODEL}`]));
      expect(asked()).toEqual(['When do you open?']);
    });
  });

  it('of every model is AI_PROVIDER_ERROR for a client, and does not affect the health', async () => {
    refusing = [MODEL, FALLBACK];
    begun = 'I can start by';
    const { status, body } = await generate();
    expect([status, body.error]).toMatchObject([
      500,
      { code: 'AI_PROVIDER_ERROR', details: { provider: 'anthropic', type: 'refusal', retryable: false } },
    ]);
    expect((await gateway.api('GET', '/ai/status')).body.data).toMatchObject({ status: 'available' });
  });

  it('ends a stream that has begun with the error, and tries the fallback models only before', async () => {
    const before = anthropic.requestsOf('messages').length;
    const whole = (await generate('text/event-stream')).body as unknown as string;
    expect(whole).toContain('event: result');
    expect(modelsSince(before)).toEqual([MODEL, FALLBACK]);

    begun = 'I can start by';
    const broken = (await generate('text/event-stream')).body as unknown as string;
    expect(broken).toContain('event: delta');
    expect(broken).toMatch(/event: error\ndata: .*"type":"refusal"/);
    expect(broken).not.toContain('event: result');
    expect(modelsSince(before + 2)).toEqual([MODEL]);
  });
});
