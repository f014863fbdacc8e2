import { fromPublicId } from '#contracts';
import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { aTimestamp } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const DEFAULTS = {
  by_assistant: true,
  phrases: [],
  after_failures: 3,
  answers_per_10_minutes: 30,
  closing_message: null,
  notify_after_minutes: 10,
  echo_resume_minutes: 60,
};
const TOOL = { name: 'hand_over', input: { reason: 'asks for a person', summary: 'Wants to return order 4711.' } };

describe('A person and the assistant in one conversation', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  const gateway = useGateway({ anthropic, telegram });
  let chat = 100;

  beforeEach(async () => {
    chat += 1;
    anthropic.replyWith(() => 'We open at nine.');
    await settings({ handover: DEFAULTS, ai: { auto_reply: true } });
  });
  afterEach(() => {
    anthropic.release();
    anthropic.clearFaults();
  });

  const settings = async (body: object) =>
    expect((await gateway.api('PATCH', '/admin/settings', body)).status).toBe(200);
  const write = (text = 'Hello') => telegram.receiveText({ chatId: chat, text });
  const sentHere = () => telegram.sent.filter(({ chat_id }) => chat_id === chat).map(({ text }) => text);
  const asked = () => anthropic.requestsOf('messages');
  const conversation = async (): Promise<ConversationDto | undefined> => {
    const { body } = await gateway.api<ConversationDto[]>('GET', `/conversations?q=${chat}&per_page=100`);
    return body.data.find(({ participant }) => participant.id === String(chat));
  };
  const conversationNow = () =>
    eventually('the conversation is there', async () => {
      const found = await conversation();
      expect(found).toBeDefined();
      return found!;
    });
  const requested = (reason: string) =>
    eventually('a person is requested', async () => {
      const found = await conversation();
      expect(found).toMatchObject({ handling: 'requested', handover: { reason } });
      return found!.handover!;
    });
  const takeOver = async () => gateway.api('POST', `/conversations/${(await conversationNow()).id}/handover`);
  const resume = async () => gateway.api('POST', `/conversations/${(await conversationNow()).id}/resume`);
  const nothingDue = () =>
    eventually('nothing is due', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at IS NOT NULL')).toEqual([]),
    );
  const responses = async () => {
    const { id } = await conversationNow();
    const rows = await gateway.sql<{ data: Record<string, unknown> }>(
      `SELECT body::json -> 'data' AS data FROM events WHERE type = 'ai.response' AND body LIKE '%' || $1 || '%' ORDER BY id`,
      [id],
    );
    return rows.map(({ data }) => data);
  };
  const answered = async (count: number) => {
    await eventually(`${count} messages arrived`, () => expect(sentHere()).toHaveLength(count));
    await nothingDue();
  };

  describe('an answer in progress', () => {
    it.each([
      ['a takeover', () => Promise.resolve()],
      ['a takeover that ends before the answer does', resume],
    ])('is dropped and billed after %s', async (_, then) => {
      const before = (await gateway.api<{ usage: { today: { requests: number } } }>('GET', '/ai/status')).body.data;
      anthropic.hold();
      write();
      await anthropic.waitForInFlight(1);
      await takeOver();
      await then();
      anthropic.release();
      await nothingDue();
      expect(sentHere()).toEqual([]);
      const { message_count } = (await conversation())!;
      expect(message_count).toBe(1);
      expect(await responses()).toEqual([expect.objectContaining({ not_sent: 'taken_over' })]);
      const { usage } = (await gateway.api<typeof before>('GET', '/ai/status')).body.data;
      expect(usage.today.requests).toBe(before.usage.today.requests + 1);
    });

    it('is dropped after it was stored, if the platform delayed it', async () => {
      telegram.fail({ method: 'sendMessage', status: 429, retryAfter: 3 });
      write();
      await eventually('the platform asks to wait', () => expect(telegram.requestsOf('sendMessage')).not.toEqual([]));
      await takeOver();
      await nothingDue();
      const { id } = (await conversation())!;
      await eventually('the answer is failed', async () => {
        const { body } = await gateway.api<object[]>('GET', `/messages?conversation_id=${id}&expand=details`);
        expect(body.data[0]).toMatchObject({ status: 'failed', sent_by: 'assistant', error: { code: 'taken_over' } });
      });
      expect(sentHere()).toEqual([]);
      const messages = await gateway.api<{ id: string }[]>('GET', `/messages?conversation_id=${id}`);
      const timeline = await gateway.api<object[]>('GET', `/messages/${messages.body.data[0]!.id}/timeline`);
      expect(timeline.body.data).toContainEqual(
        expect.objectContaining({
          step: 'not_sent',
          data: expect.objectContaining({ reason: 'taken_over' }) as object,
        }),
      );
      const problems = await gateway.api<{ kind: string }[]>('GET', '/problems');
      expect(problems.body.data.filter(({ kind }) => kind === 'message_failed')).toEqual([]);
    });
  });

  it('the first message after a resumption is answered, with the others as context and the colleague marked', async () => {
    write('Hello');
    await answered(1);
    const send = (message: string, options = {}) =>
      gateway.api('POST', '/messages/send', { platform: 'telegram', recipient: String(chat), message, options });
    await send('An advertisement');
    expect((await conversation())!.handling).toBe('assistant');
    await send('This is Grace', { take_over: true });
    expect(await conversation()).toMatchObject({ handling: 'human', handover: { reason: null, assignee: null } });
    await gateway.api('POST', `/conversations/${(await conversation())!.id}/handover`, { assignee: 'Grace' });
    await send('What do you need?', { take_over: true });
    expect((await conversation())!.handover).toMatchObject({ assignee: 'Grace' });
    write('A refund');
    await eventually('it is stored', async () => expect((await conversation())!.message_count).toBe(6));
    await resume();
    write('Are you there?');
    await answered(5);
    expect(asked().at(-1)!.body.messages).toEqual(
      [
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          content:
            'We open at nine.\n\nAn advertisement\n\n(A colleague wrote:)\nThis is Grace\n\n(A colleague wrote:)\nWhat do you need?',
        },
        { role: 'user', content: 'A refund\n\nAre you there?' },
      ].map((message) => expect.objectContaining({ role: message.role }) as unknown),
    );
    expect(JSON.stringify(asked().at(-1)!.body.messages)).toContain('(A colleague wrote:)\\nThis is Grace');
    expect(JSON.stringify(asked().at(-1)!.body.messages)).not.toContain('(A colleague wrote:)\\nAn advertisement');
  });

  describe('a person is requested', () => {
    it('when the model calls its tool: its text is not sent, its tokens are billed, the closing message is sent', async () => {
      await settings({ handover: { closing_message: 'A colleague will answer you.' } });
      anthropic.replyWith(() => ({ text: 'I will fetch somebody.', tool: TOOL }));
      const before = asked().length;
      write('I want a person');
      const handover = await requested('assistant');
      expect(handover).toMatchObject({ summary: TOOL.input.summary, requested_at: aTimestamp(), taken_at: null });
      await answered(1);
      expect(sentHere()).toEqual(['A colleague will answer you.']);
      expect(asked()).toHaveLength(before + 1);
      expect(asked().at(-1)!.body.tools).toEqual([expect.objectContaining({ name: 'hand_over', strict: true })]);
      expect(await responses()).toMatchObject([
        {
          tool_calls: ['hand_over'],
          stop_reason: 'tool_use',
          not_sent: null,
          tokens: { output: expect.any(Number) as number },
        },
      ]);
      const { id } = (await conversation())!;
      const { body } = await gateway.api<object[]>('GET', `/messages?conversation_id=${id}&expand=details`);
      expect(body.data[0]).toMatchObject({ sent_by: 'assistant', ai_model: null, direction: 'outbound' });
      write('Hello?');
      await nothingDue();
      expect(sentHere()).toHaveLength(1);
    });

    it('unless the tool is called while a person takes over', async () => {
      anthropic.replyWith(() => ({ text: '', tool: TOOL }));
      anthropic.hold();
      write();
      await anthropic.waitForInFlight(1);
      await takeOver();
      anthropic.release();
      await nothingDue();
      expect(await conversation()).toMatchObject({ handling: 'human', handover: { reason: null, summary: null } });
      expect(await responses()).toMatchObject([{ not_sent: 'taken_over' }]);
    });

    it('by a tool that is offered only while handover.by_assistant is true, and never by /ai/generate', async () => {
      await settings({ handover: { by_assistant: false } });
      write();
      await answered(1);
      expect(asked().at(-1)!.body).not.toHaveProperty('tools');
      await settings({ handover: { by_assistant: true } });
      await gateway.api('POST', '/ai/generate', { message: 'I want a person' });
      expect(asked().at(-1)!.body).not.toHaveProperty('tools');
    });

    it.each([true, false])('for a phrase, with auto_reply %s, before any answer', async (auto_reply) => {
      await settings({ handover: { phrases: ['a person'], closing_message: 'Soon.' }, ai: { auto_reply } });
      const before = asked().length;
      write('May I talk to A PERSON?');
      await requested('phrase');
      await answered(1);
      expect([sentHere(), asked().length]).toEqual([['Soon.'], before]);
    });

    it('after consecutive failed answers, counted from a resumption', async () => {
      await settings({ handover: { after_failures: 2 } });
      const failOnce = async () => {
        anthropic.fail({ method: 'messages', status: 400 });
        const { message_count: before = 0 } = (await conversation()) ?? {};
        write();
        await eventually('it is stored', async () =>
          expect((await conversation())?.message_count).toBeGreaterThan(before),
        );
        await nothingDue();
      };
      await failOnce();
      write();
      await answered(1);
      await failOnce();
      expect((await conversation())!.handling).toBe('assistant');
      await failOnce();
      await requested('failures');
      await resume();
      await failOnce();
      expect((await conversation())!.handling).toBe('assistant');
    });

    it('before more answers than answers_per_10_minutes, counted from a resumption', async () => {
      await settings({ handover: { answers_per_10_minutes: 2, closing_message: 'Soon.' } });
      for (const count of [1, 2]) {
        write(`Message ${count}`);
        await answered(count);
      }
      write('One more');
      await requested('loop');
      await answered(3);
      expect(sentHere().at(-1)).toBe('Soon.');
      await resume();
      write('Again');
      await answered(4);
      expect((await conversation())!.handling).toBe('assistant');
    });

    it('when messages_per_minute is reached, until the limit resets', async () => {
      await settings({ rate_limits: { messages_per_minute: 1 } });
      write('One');
      await answered(1);
      write('Two');
      const { resume_at } = await requested('budget');
      const seconds = (Date.parse(resume_at!) - Date.now()) / 1_000;
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThan(61);
      await settings({ rate_limits: { messages_per_minute: 1_000 } });
    });

    it('when a budget is spent: until midnight, or without an end if waiting cannot help', async () => {
      await settings({ ai: { budget: { daily_usd: 0.000_001 } } });
      write();
      expect(await requested('budget')).toMatchObject({ resume_at: null });
      await settings({ ai: { budget: { daily_usd: 50 }, daily_usd_per_person: 0 } });
      chat += 1;
      write();
      await requested('budget');
      await settings({ ai: { daily_usd_per_person: null } });
    });

    it.each([
      [
        'the budget',
        { ai: { budget: { daily_usd: 0.000_001 } } },
        { ai: { budget: { daily_usd: 50 } } },
        { ai: { daily_usd_per_person: null } },
      ],
      [
        'the budget of a person',
        { ai: { daily_usd_per_person: 0 } },
        { ai: { daily_usd_per_person: null } },
        { rate_limits: { messages_per_minute: 2_000 } },
      ],
      [
        'messages_per_minute',
        { rate_limits: { messages_per_minute: 1 } },
        { rate_limits: { messages_per_minute: 1_000 } },
        { ai: { budget: { daily_usd: 60 } } },
      ],
    ])('at %s, until a setting raises that limit', async (limit, low, high, other) => {
      await settings({ ai: { budget: { daily_usd: 50 }, daily_usd_per_person: 5 } });
      await settings(low);
      write();
      if (limit === 'messages_per_minute') {
        await answered(1);
        write('Again');
      }
      await requested('budget');
      const { id } = (await conversation())!;
      await settings(other);
      const [{ waits }] = (await gateway.sql<{ waits: boolean }>(
        `SELECT resume_at IS NULL OR resume_at > now() AS waits FROM handovers WHERE conversation_id = $1`,
        [fromPublicId('conversation', id)],
      )) as [{ waits: boolean }];
      expect([waits, (await conversation())!.handling]).toEqual([true, 'requested']);
      await settings(high);
      await eventually('the conversation is resumed', async () =>
        expect((await conversation())!.handling).toBe('assistant'),
      );
      const before = sentHere().length;
      write('Now?');
      await eventually('the next message is answered', () => expect(sentHere()).toHaveLength(before + 1));
      await settings({ ai: { daily_usd_per_person: null }, rate_limits: { messages_per_minute: 1_000 } });
    });

    it('only once, and null disables a trigger', async () => {
      await settings({ handover: { phrases: ['help'], answers_per_10_minutes: null, after_failures: null } });
      write('help');
      const first = await requested('phrase');
      write('help again');
      await eventually('it is stored', async () => expect((await conversation())!.message_count).toBe(2));
      expect((await conversation())!.handover).toEqual(first);
      expect(
        await gateway.sql(
          `SELECT FROM events WHERE type = 'conversation.handover_requested' AND body LIKE '%' || $1 || '%'`,
          [(await conversation())!.id],
        ),
      ).toHaveLength(1);
    });
  });

  it('by the sandbox AI if the message contains "a person"', async () => {
    const key = gateway.testKey;
    const play = { platform: 'telegram', sender: { id: 'ada' }, content: 'May I talk to a person?' };
    const { conversation_id } = (
      await gateway.api<{ conversation_id: string }>('POST', '/sandbox/inbound', play, { key })
    ).body.data;
    expect(fromPublicId('conversation', conversation_id)).toBeDefined();
    await eventually('a person is requested', async () => {
      const { body } = await gateway.api<ConversationDto>('GET', `/conversations/${conversation_id}`, undefined, {
        key,
      });
      expect(body.data).toMatchObject({ handling: 'requested', handover: { reason: 'assistant' }, message_count: 1 });
    });
    const generated = await gateway.api<{ response: string }>('POST', '/ai/generate', { message: 'a person' }, { key });
    expect(generated.body.data.response).toContain('Sandbox reply');
  });

  it.each([
    [{ phrases: Array.from({ length: 51 }, (_, index) => `p${index}`) }, 'handover.phrases'],
    [{ phrases: ['a'.repeat(101)] }, 'handover.phrases'],
    [{ after_failures: 0 }, 'handover.after_failures'],
    [{ answers_per_10_minutes: 1_001 }, 'handover.answers_per_10_minutes'],
    [{ notify_after_minutes: 10_081 }, 'handover.notify_after_minutes'],
    [{ echo_resume_minutes: 0 }, 'handover.echo_resume_minutes'],
    [{ closing_message: '' }, 'handover.closing_message'],
    [{ by_assistant: null }, 'handover.by_assistant'],
  ])('unless the setting is invalid: %#', async (handover, parameter) => {
    const { status, body } = await gateway.api('PATCH', '/admin/settings', { handover });
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(JSON.stringify(body.error.details)).toContain(parameter);
  });
});
