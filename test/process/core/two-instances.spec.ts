import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { expectedSend } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { sharedPostgres, withClient } from '../../support/postgres';
import { GatewayProcess } from '../../support/process';

/** If an instance dies, the other one polls within this time. */
const TAKEOVER_MS = 30_000;

describe('two instances on one PostgreSQL', () => {
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let databaseUrl: string;
  /** Started first, so it holds Telegram. */
  let first: GatewayProcess;
  let second: TestGateway;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    databaseUrl = await (await sharedPostgres()).createDatabase();
    first = await GatewayProcess.start({ telegram, anthropic, env: { DATABASE_URL: databaseUrl } });
    await telegram.waitForPoll(20_000);
    second = await startTestGateway({ telegram, anthropic, databaseUrl });
    await second.connected('telegram');
  }, 60_000);

  const holder = async () => {
    const [row] = await second.sql<{ holder: string; fence: number }>(
      `SELECT holder, fence FROM integrations WHERE platform = 'telegram'`,
    );
    return row!;
  };
  /** A key of the shared database is a key of both. */
  const callFirst = (key: string) => first.api('GET', '/status', undefined, { key });

  it('keep one connection to Telegram', async () => {
    const before = await holder();
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    await telegram.waitForSent(1);
    expect(telegram.sent).toMatchObject([{ chat_id: 7, text: 'You said: Hello' }]);
    expect(telegram.requestsOf('getMe')).toHaveLength(1);
    expect(await holder()).toEqual(before);
  });

  it('both send, and show the same data', async () => {
    const send = { platform: 'telegram', recipient: '7', message: 'from either' };
    const key = second.liveKey;
    for (const answer of [
      await first.api('POST', '/messages/send', send, { key }),
      await second.api('POST', '/messages/send', send),
    ]) {
      expect(answer.body.data).toEqual(expectedSend('7'));
    }
    const lists = [await first.api('GET', '/messages', undefined, { key }), await second.api('GET', '/messages')];
    expect(lists[0]!.body.data).toEqual(lists[1]!.body.data);
    expect(lists[0]!.body.meta.pagination.total).toBe(4);
  });

  it('both refuse a revoked key within a second', async () => {
    const key = await second.createKey();
    // Both instances have cached the key.
    expect([(await callFirst(key)).status, (await second.api('GET', '/status', undefined, { key })).status]).toEqual([
      200, 200,
    ]);
    await withClient(databaseUrl, async (client) => {
      await client.query('UPDATE api_keys SET revoked_at = now() WHERE last_four = $1', [key.slice(-4)]);
      await client.query(`SELECT pg_notify('gateway', 'api_keys:')`);
    });
    await eventually(
      'the key is refused by both',
      async () => {
        expect((await callFirst(key)).body.error?.code).toBe('INVALID_API_KEY');
        expect((await second.api('GET', '/status', undefined, { key })).body.error?.code).toBe('INVALID_API_KEY');
      },
      { timeoutMs: 1_000 },
    );
  });

  it('reconnect a platform for a request to the instance that does not hold it', async () => {
    const calls = telegram.requestsOf('getMe').length;
    expect((await second.api('POST', '/integrations/telegram/reconnect')).status).toBe(200);
    await telegram.waitUntil(
      () => telegram.requestsOf('getMe').length > calls,
      () => 'no instance connected anew',
      15_000,
    );
    await second.connected('telegram');
  });

  it('take over from each other: the work of a dead one is done within 30 s', async () => {
    const before = await holder();
    anthropic.hold();
    telegram.receiveText({ chatId: 8, text: 'Who answers?' });
    await anthropic.waitForInFlight(1);
    const requests = anthropic.requestsOf('messages').length;
    await first.kill();
    const killedAt = performance.now();
    anthropic.release();
    await eventually(
      'the other one holds Telegram',
      async () => expect((await holder()).fence).toBeGreaterThan(before.fence),
      { timeoutMs: TAKEOVER_MS, everyMs: 50 },
    );
    await telegram.waitForPoll(10_000);
    const seconds = (performance.now() - killedAt) / 1_000;
    process.stdout.write(`  the other instance polls ${seconds.toFixed(1)} s after a kill -9\n`);
    expect(seconds).toBeLessThan(30);

    telegram.receiveText({ chatId: 9, text: 'Still there?' });
    const answered = (chatId: number) => telegram.sent.filter(({ chat_id }) => chat_id === chatId);
    await telegram.waitUntil(
      () => answered(8).length > 0 && answered(9).length > 0,
      () => `answered: ${JSON.stringify(telegram.sent)}`,
      TAKEOVER_MS,
    );
    expect([answered(8).length, answered(9).length]).toEqual([1, 1]);
    expect(anthropic.requestsOf('messages').length).toBeLessThanOrEqual(requests + 2);
  }, 90_000);
});
