import { hash } from 'node:crypto';
import type { Scope } from '#contracts';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { anId } from '../../support/expected';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

interface Step {
  at: string;
  step: string;
  title: string;
  data: Record<string, unknown>;
}

interface Message {
  id: string;
  direction: string;
  conversation_id: string;
  status: string;
  sender: object | null;
}

const ALL_EVENTS = ['message.received', 'ai.request', 'ai.response', 'message.sent', 'message.delivered'];

describe('GET /messages/{id}/timeline', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  const gateway = useGateway({ anthropic, telegram, env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;
  let chat = 500;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
    const webhook = { url: receiver.url('/hook'), events: ['message.delivered'], secret: 'a secret of good length' };
    expect((await gateway.api('POST', '/webhooks', webhook)).status).toBe(201);
  });
  beforeEach(() => anthropic.replyWith(() => 'We open at nine.'));

  const write = (text: string) => telegram.receiveText({ chatId: chat, text });
  /** The messages of the present chat, oldest first. */
  const messages = async () => {
    const { body } = await gateway.api<Message[]>('GET', '/messages?expand=details&sort=created_at&per_page=100');
    const rows = await gateway.sql<{ id: string }>(
      `SELECT m.id FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE c.participant_id = $1`,
      [String(chat)],
    );
    return body.data.slice(-rows.length);
  };
  const timeline = (id: string, key?: string) =>
    gateway.api<Step[]>('GET', `/messages/${id}/timeline`, undefined, { key });
  const stepsOf = async (id: string, key?: string) => (await timeline(id, key)).body.data;
  const dataOf = (steps: readonly Step[], step: string) =>
    steps.filter((each) => each.step === step).map(({ data }) => data);
  const kindsOf = (steps: readonly Step[]) => steps.map(({ step }) => step);
  const send = async (message: string, options: object = {}, recipient = String(chat)) => {
    const body = { platform: 'telegram', recipient, message, options };
    const answer = await gateway.api<{ message_id: string }>('POST', '/messages/send', body);
    return { id: answer.body.data.message_id, requestId: answer.body.meta.request_id };
  };

  it('shows the steps of an inbound message and its answer, each with its resource', async () => {
    chat += 1;
    anthropic.hold();
    write('Hello');
    await anthropic.waitForInFlight(1);
    write('When do you open?');
    write('On Sunday?');
    await eventually('all are stored', async () => expect(await messages()).toHaveLength(3));
    anthropic.release();
    const steps = await eventually('the second answer is delivered and its webhook told', async () => {
      const [, second] = await messages();
      const found = await stepsOf(second!.id);
      expect(kindsOf(found)).toContain('webhook');
      return found;
    });
    const [hello, first, last, , answer] = await messages();
    expect([hello, first, last, answer].map((message) => message?.direction)).toEqual([
      'inbound',
      'inbound',
      'inbound',
      'outbound',
    ]);
    expect(kindsOf(steps).filter((step) => step !== 'event')).toEqual([
      'received',
      'received',
      'waited',
      'asked',
      'answered',
      'stored',
      'sent',
      'receipt',
      'webhook',
    ]);
    expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted());
    expect(steps.every(({ title }) => /^[A-Z].*\S$/.test(title))).toBe(true);
    const ids = (message?: Message) => ({ message_id: message!.id, conversation_id: message!.conversation_id });
    expect(dataOf(steps, 'received')).toEqual(
      [first, last].map((each) => ({ ...ids(each), platform: 'telegram', kind: 'text', sender: each!.sender })),
    );
    const { body } = await gateway.api<{ ai: { system_prompt: string; model: string } }>('GET', '/admin/settings');
    const { system_prompt, model } = body.data.ai;
    const request = { event_id: anId('event'), request_id: anId('request'), model: expect.any(String) as string };
    expect(dataOf(steps, 'asked')).toEqual([
      {
        ...request,
        model,
        context_messages: 4,
        context: {
          first_message_id: hello!.id,
          last_message_id: last!.id,
          system_prompt_sha256: hash('sha256', system_prompt),
        },
        tools: ['hand_over'],
      },
    ]);
    expect(dataOf(steps, 'answered')).toEqual([
      {
        ...request,
        tokens: { input: expect.any(Number) as number, output: expect.any(Number) as number },
        latency_ms: expect.any(Number) as number,
        cost_usd: expect.any(Number) as number,
        stop_reason: 'end_turn',
        tool_calls: [],
        error: null,
      },
    ]);
    expect(dataOf(steps, 'stored')).toEqual([
      { ...ids(answer), platform: 'telegram', request_id: dataOf(steps, 'asked')[0]!['request_id'] },
    ]);
    const part = {
      index: 0,
      status: 'delivered',
      platform_message_id: expect.any(String) as string,
      attempts: 1,
      pauses: [],
    };
    expect(dataOf(steps, 'sent')).toEqual([
      { message_id: answer!.id, parts: [{ ...part, at: expect.any(String) as string }] },
    ]);
    expect(dataOf(steps, 'receipt')).toEqual([
      { message_id: answer!.id, status: 'delivered', confirmation: 'platform', error: null, reaction: null },
    ]);
    expect(dataOf(steps, 'event').map(({ type }) => type)).toEqual(['message.received', ...ALL_EVENTS]);
    expect(dataOf(steps, 'webhook')).toEqual([
      expect.objectContaining({
        url: receiver.url('/hook'),
        event_type: 'message.delivered',
        attempt: 1,
        status: 'success',
        response_code: 200,
        next_retry_at: null,
      }),
    ]);
    for (const message of [first, last, answer]) expect(await stepsOf(message!.id)).toEqual(steps);
  });

  it('leaves out steps that the key may not see, and names them', async () => {
    chat += 1;
    write('Hello');
    const [inbound] = await eventually('it is answered', async () => {
      const found = await messages();
      expect(found.map(({ status }) => status)).toEqual(['received', 'delivered']);
      return found;
    });
    const omittedOf = async (...scopes: Scope[]) => {
      const key = await gateway.createKey({ scopes });
      const { body } = await timeline(inbound!.id, key);
      const { omitted } = body.meta as unknown as { omitted: string[] };
      expect(kindsOf(body.data).filter((step) => omitted.includes(step))).toEqual([]);
      return omitted;
    };
    expect(await omittedOf('read:messages')).toEqual(['asked', 'answered', 'webhook', 'audit']);
    expect(await omittedOf('read:messages', 'read:status')).toEqual(['webhook', 'audit']);
    expect(await omittedOf('read:messages', 'admin:settings')).toEqual(['asked', 'answered']);
    expect(await omittedOf('*')).toEqual([]);
    expect((await timeline(inbound!.id, await gateway.createKey({ scopes: ['read:status'] }))).status).toBe(403);
    expect((await timeline(inbound!.id, gateway.testKey)).status).toBe(404);
  });

  it('names the request of a send, and shows its parts, pauses and retries', async () => {
    chat += 1;
    telegram.fail({ method: 'sendMessage', status: 429, retryAfter: 1 });
    telegram.fail({
      method: 'sendMessage',
      status: 400,
      body: { ok: false, error_code: 400, description: "Bad Request: can't parse entities: x" },
    });
    const { id, requestId } = await send('a'.repeat(4_000) + '\n' + 'b'.repeat(4_000), { parse_mode: 'html' });
    const steps = await eventually('the audit log has it', async () => {
      const found = await stepsOf(id);
      expect(kindsOf(found)).toContain('audit');
      return found;
    });
    expect(kindsOf(steps).filter((step) => !['event', 'webhook'].includes(step))).toEqual([
      'stored',
      'sent',
      'receipt',
      'audit',
    ]);
    expect(dataOf(steps, 'stored')[0]).toMatchObject({ message_id: id, request_id: requestId });
    const repeat = { at: expect.any(String) as string, attempts: 1 };
    expect(dataOf(steps, 'sent')[0]!['parts']).toEqual([
      expect.objectContaining({
        index: 0,
        attempts: 3,
        pauses: [
          { ...repeat, reason: 'rate_limited', ms: 1_000 },
          { ...repeat, reason: 'markup_rejected', ms: 0 },
        ],
      }),
      expect.objectContaining({ index: 1, attempts: 1, pauses: [] }),
    ]);
    expect(dataOf(steps, 'audit')).toEqual([
      expect.objectContaining({ request_id: requestId, method: 'POST', path: '/api/v1/messages/send', status: 200 }),
    ]);
  });

  it('explains why a message was not sent', async () => {
    telegram.block(8);
    const { id } = await send('Hello', {}, '8');
    const steps = await stepsOf(id);
    expect(kindsOf(steps).filter((step) => !['event', 'webhook', 'audit'].includes(step))).toEqual([
      'stored',
      'not_sent',
    ]);
    expect(dataOf(steps, 'not_sent')).toEqual([
      {
        message_id: id,
        reason: 'failed',
        error: expect.objectContaining({ code: 'blocked_by_recipient' }) as object,
        parts: [expect.objectContaining({ index: 0, status: 'failed', attempts: 1 })],
      },
    ]);
    expect(dataOf(steps, 'event')).toEqual([{ event_id: anId('event'), type: 'message.failed', message_id: id }]);
  });

  it('shows that a budget refused the answer', async () => {
    chat += 1;
    await gateway.api('PATCH', '/admin/settings', { ai: { budget: { daily_usd: 0 } } });
    write('Hello');
    await eventually('it is refused', async () => {
      const [inbound] = await messages();
      const steps = await stepsOf(inbound!.id);
      expect(dataOf(steps, 'not_sent')).toEqual([{ message_id: null, reason: 'budget', error: null, parts: [] }]);
      expect(kindsOf(steps)).not.toContain('asked');
    });
    await gateway.api('PATCH', '/admin/settings', { ai: { budget: { daily_usd: 50 } } });
  });

  it('explains why messages got no answer', async () => {
    chat += 1;
    await gateway.api('PATCH', '/admin/settings', { rate_limits: { replies_per_minute: 1 } });
    write('Hello');
    write('Is anybody there?');
    await eventually('both are stored', async () => expect(await messages()).toHaveLength(2));
    anthropic.fail({ method: 'messages', status: 400, times: 5 });
    await gateway.api('PATCH', '/admin/settings', { rate_limits: { replies_per_minute: 1_000 } });
    await gateway.sql('UPDATE reply_tasks SET next_at = now() WHERE next_at > now()');
    const [first, last] = await messages();
    const steps = await eventually('both failed', async () => {
      const found = await stepsOf(last!.id);
      expect(kindsOf(found)).toContain('answered');
      return found;
    });
    expect(dataOf(steps, 'answered')).toEqual([
      expect.objectContaining({
        tokens: null,
        cost_usd: null,
        error: expect.objectContaining({ retryable: false }) as object,
      }),
    ]);
    expect(kindsOf(steps)).not.toContain('sent');
    expect(dataOf(steps, 'received')).toHaveLength(2);
    expect(await stepsOf(first!.id)).toEqual(steps);
  });

  it('names the request of an inbound message in the sandbox', async () => {
    const played = await gateway.api<{ message_id: string }>(
      'POST',
      '/sandbox/inbound',
      { platform: 'whatsapp', sender: { id: '1' }, content: 'Hello' },
      { key: gateway.testKey },
    );
    await eventually('its audit entry is there', async () => {
      const steps = await stepsOf(played.body.data.message_id, gateway.testKey);
      expect(dataOf(steps, 'audit')).toEqual([
        expect.objectContaining({ request_id: played.body.meta.request_id, path: '/api/v1/sandbox/inbound' }),
      ]);
    });
  });
});
