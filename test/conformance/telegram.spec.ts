import { accountOf } from '../support/accounts';
import type { CallbackRequest } from '#platforms';
import { SafeAdapter } from '../../src/integrations/platforms/safe-adapter';
import type { TelegramMessage } from '../fakes/telegram-types';
import { describeAdapter } from './adapter.conformance';
import { failureOf, Session } from './session';
import { UPDATE_EXAMPLES } from './telegram-examples';
import { TelegramHarness } from './telegram.harness';

const SERVICE: TelegramMessage = {
  message_id: 5,
  from: { id: 1, is_bot: false, first_name: 'Ada' },
  chat: { id: -10, type: 'group', title: 'Team' },
  date: 1_700_000_000,
};

describeAdapter('Telegram', () => TelegramHarness.start());
describeAdapter('Telegram, second account', () => TelegramHarness.startFurther());

describe('Telegram by polling', () => {
  let telegram: TelegramHarness;
  const session = new Session(async () => (telegram = await TelegramHarness.start()));
  beforeEach(() => session.open());
  afterEach(() => session.close());

  it('names the host of a webhook that prevents polling, and does not remove it', async () => {
    await fetch(`${telegram.fake.url}/bot${telegram.fake.token}/setWebhook?url=http://127.0.0.1:9/hook`);
    const error = await failureOf(session.run());
    expect(error).toMatchObject({ fatal: false, fault: { code: 'webhook_set' } });
    expect(error.message).toContain('127.0.0.1:9');
    expect(telegram.fake.requestsOf('deleteWebhook')).toEqual([]);
  });

  it('skips a malformed update with a warning, and continues', async () => {
    telegram.fake.receive({ message: { ...SERVICE, date: Number.NaN, text: 'no date' } });
    await telegram.receive({ chatId: '41', text: 'sense' });
    await session.connect();
    await telegram.allConfirmed();
    expect(session.sink.messages.map(({ content }) => content)).toEqual(['sense']);
    const message = expect.stringContaining('the message has no date') as string;
    expect(session.sink.warnings).toEqual([{ code: 'unusable_update', message }]);
  });

  it('accepts ids that are strings, in updates and responses', async () => {
    telegram.fake.receive({ message: { ...SERVICE, message_id: '88' as never, text: 'with a string' } });
    await session.connect();
    await session.sink.until(({ messages }) => messages.length === 1);
    expect(session.sink.messages[0]).toMatchObject({ platformMessageId: '-10:88', expectsReply: true });
    telegram.fake.fail({ method: 'sendMessage', status: 200, body: { ok: true, result: { message_id: '89' } } });
    const [outcome] = await session.send('Hello');
    expect(outcome).toMatchObject({ accepted: true, platformMessageId: `${telegram.recipient}:89` });
  });

  it("shows the bot's name as the server reports it", async () => {
    const body = { ok: true, result: { id: 4242, username: null } };
    telegram.fake.fail({ method: 'getMe', status: 200, body, times: Infinity });
    await session.connect();
    expect(session.sink.proofs[0]).toEqual({ bot_id: '4242' });
  });

  it('survives a single failed poll', async () => {
    await session.connect();
    telegram.fake.fail({ method: 'getUpdates', status: 502, body: '<html>Bad Gateway</html>' });
    await session.sink.until(({ warnings }) => warnings.length === 1);
    await telegram.receive({ chatId: '41', text: 'still here' });
    await session.sink.until(({ messages }) => messages.length === 1);
  });

  it('keeps confirming stored updates, and none after them', async () => {
    await telegram.receive({ chatId: '41', text: 'one' });
    await session.connect();
    await telegram.allConfirmed();
    const polls = telegram.fake.polls;
    await telegram.fake.waitUntil(
      () => telegram.fake.polls > polls,
      () => 'no further poll',
    );
    const offsets = telegram.fake.requestsOf('getUpdates').map(({ body }) => body.offset);
    expect(offsets[0]).toBeUndefined();
    expect(offsets[1]).toEqual(expect.any(Number));
    expect(offsets[2]).toBe(offsets[1]);
  });

  it('follows a group to its new id, when receiving and sending', async () => {
    telegram.fake.receive({
      message: { ...SERVICE, migrate_to_chat_id: -100_10 },
    });
    await session.connect();
    await session.sink.until(({ migrations }) => migrations.length === 1);
    expect(session.sink.migrations).toEqual([['-10', '-10010']]);

    telegram.fake.migrate(-10, -100_10);
    const [outcome] = await session.send('Hello', {}, '-10');
    expect(outcome).toMatchObject({ accepted: true, participantId: '-10010' });
    expect(telegram.sent()).toEqual([expect.objectContaining({ recipient: '-10010' })]);
  });

  it('sends no blank parts, and hides link previews when asked to', async () => {
    await session.send(`begin${'\n'.repeat(9_000)}https://a.example`, { linkPreview: false });
    expect(telegram.sent().map(({ text }) => text.trim())).toEqual(['begin', 'https://a.example']);
    expect(telegram.fake.sent[0]?.params.link_preview_options).toEqual({ is_disabled: true });
  });

  it('sends malformed HTML as plain text', async () => {
    const [outcome] = await session.send('<b>never closed', { parseMode: 'html' });
    expect(outcome?.accepted).toBe(true);
    expect(telegram.sent()).toEqual([expect.objectContaining({ text: '<b>never closed', formatted: false })]);
  });

  it('runs in two applications of a process without conflict', async () => {
    const other = await telegram.adapterWith({ token: undefined });
    expect(other.unconfigured).toBe('not configured');
    await session.connect();
    await telegram.receive({ chatId: '41', text: 'to the first' });
    await session.sink.until(({ messages }) => messages.length === 1);
    expect(session.sink.proofs[0]).toEqual({ bot_username: 'gateway_bot', bot_id: '4242' });
  });
});

describe('Telegram by webhook', () => {
  let telegram: TelegramHarness;
  const url = 'http://127.0.0.1:9/callbacks/telegram';
  const session = new Session(
    async () => (telegram = await TelegramHarness.start({ webhookUrl: url, webhookSecret: 'a-secret' })),
  );
  beforeEach(() => session.open());
  afterEach(() => session.close());

  const post = (body: unknown, secret = 'a-secret'): CallbackRequest => ({
    method: 'POST',
    query: {},
    headers: { 'x-telegram-bot-api-secret-token': secret },
    rawBody: Buffer.from(JSON.stringify(body)),
  });
  const update = () => telegram.fake.receiveText({ chatId: 41, text: 'posted' });

  it('sets the webhook and checks that it stays set', async () => {
    const { running } = await session.connect();
    await session.sink.until(({ proofs }) => proofs.length >= 2);
    const [set] = telegram.fake.requestsOf('setWebhook');
    const names = (set!.body['allowed_updates'] as string[]).toSorted();
    expect({ ...set!.body, allowed_updates: names }).toEqual({
      url,
      secret_token: 'a-secret',
      allowed_updates: Object.keys(UPDATE_EXAMPLES).toSorted(),
    });
    await fetch(`${telegram.fake.url}/bot${telegram.fake.token}/deleteWebhook`);
    expect(await failureOf(running)).toMatchObject({ fatal: false, fault: { code: 'webhook_replaced' } });
  });

  it.each([
    ['404', { status: 404 }],
    ['an answer that tells nothing', { status: 200, body: { ok: true, result: true } }],
    ['an answer that remembers nothing', { status: 200, body: { ok: true, result: { url: '' } } }],
    ['an answer that counts in words', { status: 200, body: { ok: true, result: { pending_update_count: 'many' } } }],
  ])('works with a server that does not support getWebhookInfo: %s', async (_what, answer) => {
    telegram.fake.fail({ method: 'getWebhookInfo', times: Infinity, ...answer });
    await session.connect();
    await session.sink.until(({ proofs }) => proofs.length >= 3);
    expect([session.sink.warnings, session.sink.backlogs]).toEqual([[], []]);
    expect(telegram.fake.requestsOf('setWebhook')).toHaveLength(1);
  });

  it('detects at once that another webhook was set', async () => {
    const result = { url: 'https://b.example/hook' };
    telegram.fake.fail({ method: 'getWebhookInfo', status: 200, body: { ok: true, result } });
    const error = await failureOf(session.run());
    expect(error).toMatchObject({ fatal: false, fault: { code: 'webhook_replaced' } });
    expect(error.message).toContain('b.example');
  });

  it('warns of updates that Telegram could not deliver', async () => {
    update();
    await session.connect();
    await session.sink.until(({ warnings }) => warnings.length > 0);
    expect(session.sink.warnings[0]).toMatchObject({ code: 'webhook_undelivered' });
  });

  it('answers 200 only after the message is stored, and 503 if it cannot be', async () => {
    session.sink.refuses = () => session.sink.attempts.length < 2;
    const request = post(update());
    expect(await telegram.adapter.callback(request, session.sink)).toMatchObject({ status: 503 });
    expect(await telegram.adapter.callback(request, session.sink)).toMatchObject({ status: 200 });
    expect(session.sink.messages.map(({ content }) => content)).toEqual(['posted']);
  });

  it('rejects requests without the secret', async () => {
    for (const secret of ['', 'another', 'a-secre', 'a-secret '])
      expect(await telegram.adapter.callback(post(update(), secret), session.sink)).toMatchObject({ status: 401 });
    expect(session.sink.attempts).toEqual([]);
  });

  it('accepts malformed updates without storing anything', async () => {
    for (const body of [null, [], 'text', {}])
      expect(await telegram.adapter.callback(post(body), session.sink)).toMatchObject({ status: 200 });
    expect(session.sink.attempts).toEqual([]);
  });

  it('answers 503 until Telegram says who the bot is, and logs it', async () => {
    const health = { succeeded: jest.fn(), failed: jest.fn(), sendFailed: jest.fn() };
    const safe = new SafeAdapter(telegram.adapter, accountOf('live', 'telegram'), health);
    const request = post(update());
    await telegram.goDown();
    expect(await safe.callback!(request, session.sink)).toMatchObject({ status: 503 });
    const unexpected = expect.objectContaining({ code: 'unexpected' }) as object;
    expect(health.failed.mock.calls).toEqual([[accountOf('live', 'telegram'), 'receiving', unexpected]]);
    await telegram.comeBack();
    expect(await safe.callback!(request, session.sink)).toMatchObject({ status: 200 });
    expect(health.failed).toHaveBeenCalledTimes(1);
  });

  it('derives a secret if none is configured', async () => {
    const adapter = await telegram.adapterWith({ webhookUrl: url });
    expect(await adapter.callback(post(update(), ''), session.sink)).toMatchObject({ status: 401 });
    const running = session.run(adapter);
    await session.sink.until(({ proofs }) => proofs.length > 0);
    const secret = telegram.fake.requestsOf('setWebhook').at(-1)?.body.secret_token as string;
    expect(secret).toMatch(/^[\w-]{32,256}$/);
    expect(await adapter.callback(post(update(), secret), session.sink)).toMatchObject({ status: 200 });
    await session.disconnect();
    await running;
  });
});
