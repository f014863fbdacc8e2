import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

/** A pause that no call waits out: the first round of attempts ends at once. */
const LONG_PAUSE = 86_400;

interface Told {
  type: string;
  data: { request_id?: string; scope?: string; error?: { type: string; retryable: boolean } };
}

describe('A reply whose provider fails', () => {
  let gateway: TestGateway;
  let anthropic: AnthropicFake;
  let telegram: TelegramFake;
  let chat = 500;

  beforeAll(async () => {
    anthropic = await new AnthropicFake().start();
    telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ anthropic, telegram });
    await gateway.connected('telegram');
  });
  beforeEach(() => anthropic.replyWith(() => 'We open at nine.'));
  afterEach(() => anthropic.clearFaults());

  const write = (text = 'Hello', chatId = ++chat) => telegram.receiveText({ chatId, text });
  const asked = () => anthropic.requestsOf('messages').length;
  const fail = (status: number) => anthropic.fail({ status, times: Infinity, retryAfter: LONG_PAUSE });
  const answerWithin = async (minutes: number) => {
    const ai = { answer_within_minutes: minutes };
    expect((await gateway.api('PATCH', '/admin/settings', { ai })).status).toBe(200);
  };
  const startEvents = () => gateway.sql(`DELETE FROM events WHERE type LIKE 'ai.%'`);
  const events = () =>
    gateway.sql<Told>(
      `SELECT type, body::jsonb -> 'data' AS data FROM events WHERE type LIKE 'ai.%' ORDER BY created_at, id`,
    );
  const told = async () =>
    (await events()).map(({ type, data }) => [type, data.error?.retryable ?? data.scope ?? null]);
  /** The test does not wait out the pause. */
  const retryNow = () => gateway.sql('UPDATE reply_tasks SET next_at = now() WHERE next_at > now()');
  const waiting = () =>
    eventually('the reply waits', async () => {
      const rows = await gateway.sql<{ seconds: number; lease_until: Date | null }>(
        `SELECT extract(epoch FROM next_at - now())::float8 AS seconds, lease_until FROM reply_tasks
         WHERE next_at > now() AND lease_until IS NULL`,
      );
      expect(rows).toHaveLength(1);
      return rows[0]!;
    });
  const nothingDue = () =>
    eventually('nothing is due', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at IS NOT NULL')).toEqual([]),
    );
  const fewerMinutesLeft = (minutes: number) =>
    gateway.sql(`UPDATE messages SET created_at = created_at - make_interval(mins => $1)`, [minutes]);

  it('reaches all ten people after the provider answered 529 for 20 seconds', async () => {
    await startEvents();
    const sent = telegram.sent.length;
    anthropic.fail({ status: 529, times: Infinity });
    const outage = setTimeout(() => anthropic.clearFaults(), 20_000);
    for (let person = 1; person <= 10; person++) write();
    await telegram.waitForSent(sent + 10, 90_000);
    clearTimeout(outage);
    await nothingDue();
    const all = await events();
    const of = (type: string) => all.filter((event) => event.type === type);
    expect(of('ai.request')).toHaveLength(10);
    expect(of('ai.response')).toHaveLength(10);
    expect(new Set(of('ai.response').map(({ data }) => data.request_id))).toEqual(
      new Set(of('ai.request').map(({ data }) => data.request_id)),
    );
    for (const { data } of of('ai.error')) expect(data.error).toMatchObject({ type: 'overloaded', retryable: true });
  }, 120_000);

  it('waits at most 30 seconds without a slot, then covers messages that arrived meanwhile', async () => {
    await startEvents();
    const [before, sent] = [asked(), telegram.sent.length];
    fail(500);
    write('When do you open?');
    expect((await waiting()).seconds).toBeLessThanOrEqual(30);
    expect(asked()).toBe(before + 1);
    write('On Sunday, I mean.', chat);
    await eventually('the second message is stored', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at > now() AND requested_seq = 2')).toHaveLength(1),
    );
    await retryNow();
    await anthropic.waitForRequests(before + 2);
    await waiting();
    expect((await gateway.api<{ components: object }>('GET', '/status')).body.data.components).toMatchObject({
      workers: 'healthy',
    });
    anthropic.clearFaults();
    await retryNow();
    await telegram.waitForSent(sent + 1);
    await nothingDue();
    expect(asked()).toBe(before + 3);
    expect(JSON.stringify(anthropic.requests.at(-1)!.body.messages)).toMatch(/When do you open.*On Sunday/);
    expect(await told()).toEqual([
      ['ai.request', null],
      ['ai.error', true],
      ['ai.response', null],
    ]);
    const ids = (await events()).map(({ data }) => data.request_id);
    expect(new Set(ids).size).toBe(1);
  });

  it('is given up after answer_within_minutes, with another ai.error', async () => {
    await startEvents();
    await answerWithin(7);
    fail(503);
    write();
    await waiting();
    await fewerMinutesLeft(6);
    await retryNow();
    await eventually('it has been asked for again', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at > now() AND attempts = 2')).toHaveLength(1),
    );
    await fewerMinutesLeft(1);
    await retryNow();
    await nothingDue();
    expect(await told()).toEqual([
      ['ai.request', null],
      ['ai.error', true],
      ['ai.error', false],
    ]);
    await answerWithin(10);
  });

  it('gives each message its own time, also if an earlier one is given up', async () => {
    await startEvents();
    const sent = telegram.sent.length;
    fail(529);
    write('When do you open?');
    await waiting();
    await fewerMinutesLeft(11);
    write('Are you there?', chat);
    await eventually('the second message is stored', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE requested_seq = 2 AND answered_seq = 0')).toHaveLength(1),
    );
    await retryNow();
    await eventually('the first is given up', async () =>
      expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at > now() AND answered_seq = 1')).toHaveLength(1),
    );
    anthropic.clearFaults();
    await retryNow();
    await telegram.waitForSent(sent + 1);
    await nothingDue();
    expect(JSON.stringify(anthropic.requests.at(-1)!.body.messages)).toMatch(/When do you open.*Are you there/);
    expect(await told()).toEqual([
      ['ai.request', null],
      ['ai.error', true],
      ['ai.error', false],
      ['ai.request', null],
      ['ai.error', true],
      ['ai.response', null],
    ]);
  });

  it('gives ai.rate_limited after a 429, and ai.error when it is given up', async () => {
    await startEvents();
    fail(429);
    write();
    await waiting();
    await fewerMinutesLeft(11);
    await retryNow();
    await nothingDue();
    expect(await told()).toEqual([
      ['ai.request', null],
      ['ai.rate_limited', 'provider'],
      ['ai.error', false],
    ]);
    expect((await events()).at(-1)!.data.error!.type).toBe('rate_limited');
  });

  it.each([400, 401])('is not retried after a %d', async (status) => {
    await startEvents();
    const before = asked();
    fail(status);
    write();
    await eventually('it is told', async () =>
      expect(await told()).toEqual([
        ['ai.request', null],
        ['ai.error', false],
      ]),
    );
    await nothingDue();
    expect(asked()).toBe(before + 1);
  });

  it('with answer_within_minutes 0 is given up after the first round', async () => {
    await startEvents();
    await answerWithin(0);
    const before = asked();
    fail(529);
    write();
    await eventually('it is told', async () =>
      expect(await told()).toEqual([
        ['ai.request', null],
        ['ai.error', false],
      ]),
    );
    await nothingDue();
    expect(asked()).toBe(before + 1);
    await answerWithin(10);
  });

  it('is made after a restart and by another instance', async () => {
    await startEvents();
    const sent = telegram.sent.length;
    fail(529);
    write();
    await waiting();
    const second = await startTestGateway({ anthropic, telegram, databaseUrl: gateway.databaseUrl });
    await gateway.stop();
    gateway = second;
    await waiting();
    anthropic.clearFaults();
    await retryNow();
    await telegram.waitForSent(sent + 1, 30_000);
    await nothingDue();
    expect(await told()).toEqual([
      ['ai.request', null],
      ['ai.error', true],
      ['ai.response', null],
    ]);
  }, 60_000);
});
