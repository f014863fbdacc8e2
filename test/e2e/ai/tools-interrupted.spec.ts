import type { ToolCallDto } from '../../../src/ai/tools/dto/tool.dto';
import type { AiStatusDto } from '../../../src/ai/dto/ai.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { OpenAiFake } from '../../fakes/openai.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { anthropicModel, openAiModel, type ToolModel } from '../../support/tool-models';

const anthropic = new AnthropicFake();
const openai = new OpenAiFake();
const PRICES = { input: 1, output: 1, cache_read: 1, cache_write: 1 };

interface Step {
  step: string;
  data: Record<string, unknown>;
}

describe.each([
  ['anthropic', anthropicModel(anthropic)],
  ['openai', openAiModel(openai)],
])('An answer of %s that is interrupted while a tool is called', (_, model: ToolModel) => {
  const telegram = new TelegramFake();
  let receiver: ReceiverFake;
  let gateway: TestGateway;
  let chatId = 0;
  let toolId: string;
  let asked = 0;

  const start = async (databaseUrl?: string) => {
    gateway = await startTestGateway({ anthropic, openai, telegram, env: LOCAL_RECEIVERS, databaseUrl });
    await gateway.connected('telegram');
  };

  beforeAll(async () => {
    for (const fake of [anthropic, openai, telegram]) if (!fake.isRunning) await fake.start();
    receiver = await new ReceiverFake().start();
    await start();
    const prices = { [model.model]: PRICES };
    expect((await gateway.api('PATCH', '/admin/settings', { ai: { model: model.model, prices } })).status).toBe(200);
    const tool = {
      name: 'order_status',
      description: 'Looks up an order.',
      parameters: { type: 'object', properties: { order_id: { type: 'string' } } },
      url: receiver.url(),
    };
    toolId = (await gateway.api<{ id: string }>('POST', '/tools', tool)).body.data.id;
  });
  afterAll(() => gateway.stop());

  beforeEach(() => {
    chatId += 1;
    receiver.posts.length = 0;
    receiver.react(200);
    asked = model.asked.length;
    script();
  });

  /** @param outputTokens of the first round */
  const script = (outputTokens = 90) =>
    model.script(({ rounds }) =>
      rounds > 0
        ? { text: 'It is at sea.', outputTokens: 40 }
        : { text: 'Let me look.', tools: [{ name: 'order_status', input: { order_id: '7' } }], outputTokens },
    );
  const write = (text = 'Where is order 7?') => telegram.receiveText({ chatId, text });
  const sentHere = () => telegram.sent.filter(({ chat_id }) => chat_id === chatId).map(({ text }) => text);
  const answered = () =>
    eventually('the answer arrives', () => expect(sentHere()).toEqual(['It is at sea.']), { timeoutMs: 40_000 });
  /** Holds the answers of the receiver. @returns ends them */
  const hold = () => {
    const open: (() => void)[] = [];
    receiver.react((__, response) => void open.push(() => response.end('at sea')));
    return () => open.forEach((end) => end());
  };
  const callsHere = async () => {
    const { body } = await gateway.api<ToolCallDto[]>('GET', `/tools/${toolId}/calls`);
    const id = await conversation();
    return body.data.filter(({ conversation_id }) => conversation_id === id);
  };
  const conversation = async () => {
    const { body } = await gateway.api<{ id: string; participant: { id: string } }[]>('GET', '/conversations');
    return body.data.find(({ participant }) => participant.id === String(chatId))!.id;
  };
  const timeline = async () => {
    const id = await conversation();
    const { body: list } = await gateway.api<{ id: string }[]>(
      'GET',
      `/messages?conversation_id=${id}&direction=inbound`,
    );
    const { body } = await gateway.api<Step[]>('GET', `/messages/${list.data[0]!.id}/timeline`);
    return { steps: body.data, summary: (body.meta as unknown as { summary: { sentence: string } }).summary.sentence };
  };
  const costToday = async () => (await gateway.api<AiStatusDto>('GET', '/ai/status')).body.data.usage.today.cost_usd;
  const tokensBilled = async (before: number) => Math.round(((await costToday()) - before) * 1_000_000);

  it('by a takeover: nothing is sent, the round is billed, and the timeline says why', async () => {
    const before = await costToday();
    const end = hold();
    write();
    await receiver.received(1);
    const id = await conversation();
    expect((await gateway.api('POST', `/conversations/${id}/handover`, { assignee: 'Eve' })).status).toBe(200);
    end();
    await eventually('the timeline says why', async () => {
      const { steps } = await timeline();
      expect(steps.find(({ step }) => step === 'not_sent')).toMatchObject({ data: { reason: 'taken_over' } });
      expect(steps.filter(({ step }) => step === 'tool')).toMatchObject([{ data: { status: 'success' } }]);
    });
    expect(model.asked.length - asked).toBe(1);
    expect(sentHere()).toEqual([]);
    expect(await tokensBilled(before)).toBe(100);
  });

  it('by an erasure: the call is removed, nothing is sent, and the round is billed', async () => {
    const before = await costToday();
    const end = hold();
    write();
    await receiver.received(1);
    const id = await conversation();
    expect((await gateway.api('DELETE', `/conversations/${id}`)).status).toBe(200);
    end();
    await eventually('the call is gone', async () =>
      expect(await gateway.sql('SELECT 1 FROM tool_calls WHERE message_id IS NOT NULL AND status IS NULL')).toEqual([]),
    );
    receiver.react(200);
    write('Hello again');
    await answered();
    expect(await callsHere()).toMatchObject([{ status: 'success' }]);
    expect(receiver.posts).toHaveLength(2);
    // A round of the erased conversation, and two of the new one.
    expect(await tokensBilled(before)).toBe(100 + 100 + 50);
  });

  it('by a clear: the person gets the answer, which no later context has', async () => {
    const end = hold();
    write();
    await receiver.received(1);
    expect((await gateway.api('POST', `/conversations/${await conversation()}/clear`)).status).toBe(200);
    end();
    await answered();
    expect(await callsHere()).toMatchObject([{ status: 'success', result: 'at sea' }]);
    model.script(() => 'You are welcome.');
    write('Thanks');
    await eventually('the second answer arrives', () => expect(sentHere()).toHaveLength(2));
    const { text, rounds } = model.asked.at(-1)!;
    expect({ rounds, hasAnswer: text.includes('at sea'), hasQuestion: text.includes('order 7') }).toEqual({
      rounds: 0,
      hasAnswer: false,
      hasQuestion: false,
    });
  });

  it('by a stop: the next process repeats the call with its id, and sends one answer', async () => {
    const before = await costToday();
    // Longer than a process waits for its work when it stops.
    expect((await gateway.api('PATCH', `/tools/${toolId}`, { timeout_seconds: 30 })).status).toBe(200);
    receiver.react(() => undefined);
    write();
    await receiver.received(1);
    await gateway.stop();
    receiver.react(200);
    await start(gateway.databaseUrl);
    await answered();
    const posts = receiver.posts.map(({ raw }) => JSON.parse(raw) as { id: string });
    expect(posts).toHaveLength(2);
    expect(posts[1]).toEqual(posts[0]);
    expect(await callsHere()).toMatchObject([{ id: posts[0]!.id, status: 'success' }]);
    expect(model.asked.length - asked).toBe(2);
    expect(await tokensBilled(before)).toBe(100 + 50);
    const { steps, summary } = await timeline();
    expect(summary).toBe('Answered.');
    const told = steps.map(({ step }) => step).filter((step) => ['asked', 'answered', 'tool', 'sent'].includes(step));
    expect(told).toEqual(['asked', 'answered', 'tool', 'asked', 'answered', 'sent']);
    expect(sentHere()).toEqual(['It is at sea.']);
  }, 90_000);

  it('by a spent budget: the round is billed, a person is requested, and the timeline says why', async () => {
    const before = await costToday();
    const budget = { daily_usd: before + 50, monthly_usd: null };
    expect((await gateway.api('PATCH', '/admin/settings', { ai: { budget } })).status).toBe(200);
    script(60_000_000);
    write();
    await eventually('a person is requested', async () => {
      const { body } = await gateway.api<{ handling: string }>('GET', `/conversations/${await conversation()}`);
      expect(body.data.handling).toBe('requested');
    });
    expect(await callsHere()).toMatchObject([{ status: 'success' }]);
    expect(receiver.posts).toHaveLength(1);
    expect(model.asked.length - asked).toBe(1);
    expect(await tokensBilled(before)).toBe(60_000_010);
    const { steps } = await timeline();
    expect(steps.find(({ step }) => step === 'not_sent')).toMatchObject({ data: { reason: 'budget' } });
  });
});
