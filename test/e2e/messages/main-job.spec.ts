import { AnthropicFake } from '../../fakes/anthropic.fake';
import type { MessagesRequest } from '../../fakes/anthropic-types';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import {
  aTimestamp,
  anId,
  expectedConversation,
  expectedConversationItem,
  expectedDelivered,
  expectedInbound,
  expectedMessageItem,
  expectedPage,
  expectedSend,
  expectedSuccess,
  NO_DETAILS,
} from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const ADA = { id: 7, first_name: 'Ada', username: 'ada' };
const PARTICIPANT = { id: '7', name: 'Ada', username: 'ada' };
const AI = { model: 'claude-sonnet-5-5', tokens: { input: expect.any(Number), output: expect.any(Number) } };

interface ListedMessage {
  id: string;
  conversation_id: string;
  direction: string;
  content: string;
}

describe('the main task', () => {
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let gateway: TestGateway;

  beforeEach(async () => {
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    gateway = await startTestGateway({ telegram, anthropic });
    await gateway.connected('telegram');
  });

  afterEach(async () => {
    anthropic.release();
    await gateway.stop();
    await Promise.all([telegram.stop(), anthropic.stop()]);
  });

  const write = (text: string) => telegram.receiveText({ chatId: ADA.id, text, from: ADA });

  /** A reply is out at the platform a moment before it is recorded. */
  const listed = (count: number) =>
    eventually(`${count} messages are stored and none is under way`, async () => {
      const { body } = await gateway.api<ListedMessage[]>('GET', '/messages');
      expect(body.meta.pagination.total).toBe(count);
      expect(await gateway.sql(`SELECT 1 FROM messages WHERE status = 'pending'`)).toEqual([]);
      return body.data;
    });

  const conversationId = async () => (await listed(2))[0]!.conversation_id;
  const turns = ({ messages }: MessagesRequest) =>
    messages.map(({ role, content }) => [
      role,
      typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
    ]);

  it('stores what a person writes, answers it and shows both', async () => {
    write('Hello');
    const [sent] = await telegram.waitForSent(1);
    expect(sent).toMatchObject({ chat_id: ADA.id, text: 'You said: Hello' });

    const [outbound, inbound] = await listed(2);
    const list = await gateway.api('GET', '/messages');
    expect(list.body).toEqual(
      expectedPage(
        [
          expectedMessageItem({ direction: 'outbound', content: 'You said: Hello' }),
          expectedMessageItem({ direction: 'inbound', content: 'Hello' }),
        ],
        { total: 2 },
      ),
    );
    const read = await gateway.api('GET', `/messages/${inbound!.id}`);
    expect(read.body).toEqual(expectedSuccess(expectedInbound('Hello')));
    const reply = await gateway.api('GET', `/messages/${outbound!.id}`);
    expect(reply.body).toEqual(expectedSuccess(expectedDelivered('You said: Hello', AI)));
  });

  it('includes in the context what the business wrote first', async () => {
    const send = { platform: 'telegram', recipient: String(ADA.id), message: 'Tuesday at three. Shall I confirm?' };
    await gateway.api('POST', '/messages/send', send);
    write('Yes please');
    await listed(3);
    expect(turns(anthropic.requestsOf('messages')[0]!.body)).toEqual([
      ['user', '(You wrote:)'],
      ['assistant', 'Tuesday at three. Shall I confirm?'],
      ['user', 'Yes please'],
    ]);
  });

  it('shows the conversation, with messages on request', async () => {
    write('Hello');
    const id = await conversationId();
    const list = await gateway.api('GET', '/conversations');
    expect(list.body).toEqual(expectedPage([expectedConversationItem(PARTICIPANT, 2)], { total: 1 }));
    const bare = await gateway.api('GET', `/conversations/${id}`);
    expect(bare.body).toEqual(expectedSuccess(expectedConversation(PARTICIPANT, 2)));

    const item = (direction: string, content: string) => ({
      id: anId('message'),
      direction,
      content,
      created_at: aTimestamp(),
      sent_by: direction === 'outbound' ? 'assistant' : null,
      ...NO_DETAILS,
      sender: direction === 'inbound' ? PARTICIPANT : null,
      attachments: [],
    });
    const whole = await gateway.api('GET', `/conversations/${id}?include_messages=true`);
    const messages = [item('inbound', 'Hello'), item('outbound', 'You said: Hello')];
    expect(whole.body).toEqual(expectedSuccess({ ...expectedConversation(PARTICIPANT, 2), messages }));
    const newest = await gateway.api<{ messages: unknown[] }>(
      'GET',
      `/conversations/${id}?include_messages=true&message_limit=1`,
    );
    expect(newest.body.data.messages).toEqual([messages[1]]);
  });

  it('counts the AI usage', async () => {
    anthropic.replyWith(() => ({ text: 'Nine.', usage: { input_tokens: 1_000, output_tokens: 100 } }));
    write('When do you open?');
    await listed(2);
    const status = await gateway.api('GET', '/ai/status');
    const used = { requests: 1, input_tokens: 1_000, output_tokens: 100, cost_usd: expect.any(Number) };
    expect(status.body).toEqual(
      expectedSuccess({
        provider: 'anthropic',
        model: AI.model,
        status: 'available',
        usage: { today: used, month: used },
        budget: { daily_usd: 50, monthly_usd: null, spent_today_usd: expect.any(Number), resets_at: aTimestamp() },
        ignored: [],
        configured: true,
        providers: [{ name: 'anthropic', status: 'available' }],
        unpriced_models: [],
      }),
    );
    const { cost_usd } = (status.body.data as { usage: { today: { cost_usd: number } } }).usage.today;
    expect(cost_usd).toBeGreaterThan(0);
    const answers = await gateway.api('GET', '/messages?direction=outbound&expand=usage');
    expect(answers.body.data).toEqual([
      expect.objectContaining({ ai_model: AI.model, cost_usd, latency_ms: expect.any(Number) as number }),
    ]);
  });

  it('sends the AI the earlier messages in order', async () => {
    write('My name is Ada.');
    await listed(2);
    write('What is my name?');
    await listed(4);
    expect(turns(anthropic.requestsOf('messages')[1]!.body)).toEqual([
      ['user', 'My name is Ada.'],
      ['assistant', 'You said: My name is Ada.'],
      ['user', 'What is my name?'],
    ]);
  });

  it('answers messages that arrive during an answer together, with that answer in the context', async () => {
    anthropic.hold();
    write('One');
    await anthropic.waitForInFlight(1);
    write('Two');
    write('Three');
    await eventually('all three are stored', async () => {
      expect(await gateway.sql('SELECT 1 FROM messages')).toHaveLength(3);
    });
    expect(anthropic.inFlight).toBe(1);
    anthropic.release();
    await telegram.waitForSent(2);
    expect(telegram.sent.map(({ text }) => text)).toEqual(['You said: One', expect.stringContaining('Three')]);
    await listed(5);
    expect(turns(anthropic.requestsOf('messages')[1]!.body)).toEqual([
      ['user', 'One'],
      ['assistant', 'You said: One'],
      ['user', expect.stringMatching(/^Two\s+Three$/)],
    ]);
    expect(anthropic.requestsOf('messages')).toHaveLength(2);
  });

  it('shows typing while an answer is made', async () => {
    anthropic.hold();
    write('Hello');
    await telegram.waitUntil(
      () => telegram.actions.length > 0,
      () => 'no chat action came',
    );
    expect(telegram.actions[0]).toMatchObject({ chat_id: ADA.id, action: 'typing' });
    expect(telegram.sent).toEqual([]);
  });

  it('leaves out messages before a clear, and keeps the history', async () => {
    write('My name is Ada.');
    const id = await conversationId();
    const cleared = await gateway.api('POST', `/conversations/${id}/clear`);
    expect(cleared.body).toEqual(
      expectedSuccess({ conversation_id: id, cleared_at: aTimestamp(), messages_cleared: 2 }),
    );
    write('What is my name?');
    const messages = await listed(4);
    expect(messages).toHaveLength(4);
    expect(turns(anthropic.requestsOf('messages')[1]!.body)).toEqual([['user', 'What is my name?']]);
    const again = await gateway.api<{ messages_cleared: number; cleared_at: string }>(
      'POST',
      `/conversations/${id}/clear`,
    );
    expect(again.body.data.messages_cleared).toBe(2);
    const shown = await gateway.api<{ cleared_at: string }>('GET', `/conversations/${id}?expand=context`);
    expect(shown.body.data.cleared_at).toBe(again.body.data.cleared_at);
  });

  it('stores each event in the transaction of its cause', async () => {
    write('Hello');
    await listed(2);
    const rows = await gateway.sql<{ type: string; with_cause: boolean }>(
      `SELECT e.type, e.xmin::text = coalesce(m.xmin::text, u.xmin::text, 'none') AS with_cause
       FROM events e
       LEFT JOIN messages m ON (e.type = 'message.received' AND m.direction = 'inbound')
         OR (e.type IN ('message.sent', 'message.delivered') AND m.direction = 'outbound')
       LEFT JOIN ai_usage u ON e.type = 'ai.response'
       WHERE e.type LIKE 'message.%' OR e.type LIKE 'ai.%' ORDER BY e.created_at, e.id`,
    );
    expect(rows).toEqual([
      { type: 'message.received', with_cause: true },
      { type: 'ai.request', with_cause: false },
      { type: 'ai.response', with_cause: true },
      { type: 'message.sent', with_cause: true },
      { type: 'message.delivered', with_cause: true },
    ]);
  });

  it('stores and answers an update once, however often Telegram sends it', async () => {
    const update = write('Hello');
    await listed(2);
    const { message } = update;
    for (let copy = 0; copy < 3; copy++) telegram.receive({ message });
    write('Bye');
    await listed(4);
    expect(telegram.sent.map(({ text }) => text)).toEqual(['You said: Hello', 'You said: Bye']);
  });

  it("sends a client's message", async () => {
    const send = { platform: 'telegram', recipient: '7', message: 'Your *order* has been shipped.' };
    const sent = await gateway.api<{ message_id: string }>('POST', '/messages/send', send);
    expect(sent.status).toBe(200);
    expect(sent.body).toEqual(expectedSuccess(expectedSend('7')));
    expect(telegram.sent).toMatchObject([{ chat_id: 7, text: send.message }]);
    const read = await gateway.api('GET', `/messages/${sent.body.data.message_id}`);
    expect(read.body).toEqual(expectedSuccess(expectedDelivered(send.message)));
    const events = await gateway.sql<{ type: string }>(
      `SELECT type FROM events WHERE type LIKE 'message.%' ORDER BY id`,
    );
    expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered']);
    expect(anthropic.requests).toEqual([]);
  });

  it('reports a recipient who blocked the bot', async () => {
    telegram.block(7);
    const send = { platform: 'telegram', recipient: '7', message: 'Hello' };
    const answer = await gateway.api<{ status: string; error: unknown }>('POST', '/messages/send', send);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      status: 'failed',
      sent_at: null,
      error: { code: 'blocked_by_recipient', platform_code: '403', retryable: false },
    });
    expect(await gateway.sql(`SELECT type FROM events WHERE type LIKE 'message.%'`)).toEqual([
      { type: 'message.failed' },
    ]);
  });

  it('sends a long answer in parts, as one message', async () => {
    const long = Array.from({ length: 60 }, (_, line) => `${line} ${'words '.repeat(20).trim()}`).join('\n\n');
    anthropic.replyWith(() => ({ text: long, stopReason: 'end_turn', usage: { output_tokens: 10 } }));
    await gateway.sql(`INSERT INTO settings (environment, document) VALUES ('live', '{"ai": {"max_tokens": 8000}}')
      ON CONFLICT (environment) DO UPDATE SET document = excluded.document`);
    await gateway.sql(`SELECT pg_notify('gateway', 'settings:live')`);
    write('Tell me more');
    const [outbound] = await listed(2);
    expect(outbound!.content).toBe(long);
    expect(telegram.sent.length).toBeGreaterThan(1);
    expect(telegram.sent.map(({ text }) => text).join('\n\n')).toBe(long);
  });
});

describe('many people at the same time', () => {
  const PEOPLE = 100;
  const MESSAGES = 10;

  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let gateway: TestGateway;

  beforeEach(async () => {
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    gateway = await startTestGateway({ telegram, anthropic });
  });

  afterEach(async () => {
    await gateway.stop();
    await Promise.all([telegram.stop(), anthropic.stop()]);
  });

  it('get 1,000 answers in 100 conversations: in order, each once', async () => {
    // The numbers of the messages that the answer is to, so that they can be told from what was said before.
    anthropic.replyWith((request) => `re: ${unanswered(request).join(' ')}`);
    const startedAt = performance.now();
    for (let message = 1; message <= MESSAGES; message++) {
      for (let person = 1; person <= PEOPLE; person++) {
        telegram.receiveText({ chatId: person, text: `#${message}` });
      }
    }
    await eventually(
      'every message is answered',
      async () => {
        const [row] = await gateway.sql<{ stored: number; open: number }>(
          `SELECT (SELECT count(*) FROM messages WHERE direction = 'inbound')::int AS stored,
             (SELECT count(*) FROM reply_tasks WHERE next_at IS NOT NULL)::int
             + (SELECT count(*) FROM messages WHERE status = 'pending')::int AS open`,
        );
        expect(row).toEqual({ stored: PEOPLE * MESSAGES, open: 0 });
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);

    const all = Array.from({ length: MESSAGES }, (_, index) => `#${index + 1}`);
    for (let person = 1; person <= PEOPLE; person++) {
      const answers = telegram.sent.filter(({ chat_id }) => Number(chat_id) === person).map(({ text }) => text);
      expect(answers.flatMap((text) => text.replace('re: ', '').split(' '))).toEqual(all);
    }
    const [stored] = await gateway.sql<{ inbound: number; outbound: number; conversations: number }>(
      `SELECT count(*) FILTER (WHERE direction = 'inbound')::int AS inbound,
         count(*) FILTER (WHERE direction = 'outbound')::int AS outbound,
         count(DISTINCT conversation_id)::int AS conversations FROM messages`,
    );
    expect(stored).toEqual({ inbound: 1_000, outbound: telegram.sent.length, conversations: PEOPLE });
    process.stdout.write(
      `  ${stored!.inbound} messages in ${stored!.conversations} conversations, each answered once and in order ` +
        `by ${stored!.outbound} answers in ${seconds} s\n`,
    );
  }, 90_000);
});

/** What the person wrote since the last answer. */
function unanswered({ messages }: MessagesRequest): string[] {
  const { role, content } = messages.at(-1)!;
  const text = typeof content === 'string' ? content : content.map((block) => block.text).join(' ');
  return role === 'user' ? text.split(/\s+/) : [];
}
