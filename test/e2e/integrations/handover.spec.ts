import { setTimeout as sleep } from 'node:timers/promises';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('a planned stop of the instance that holds a platform', () => {
  let telegram: TelegramFake;
  let first: TestGateway;
  let second: TestGateway;

  beforeEach(async () => {
    telegram = await new TelegramFake().start();
    first = await startTestGateway({ telegram });
    await first.connected('telegram');
    second = await startTestGateway({ telegram, databaseUrl: first.databaseUrl });
    await second.connected('telegram');
  });

  afterEach(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await telegram.stop();
  });

  const send = () =>
    second.api<{ status: string }>('POST', '/messages/send', {
      platform: 'telegram',
      recipient: '7',
      message: 'hello',
    });

  it('hands the platform over: sends meanwhile wait for the new holder, and none is refused', async () => {
    const stopped = first.stop().then(() => true);
    const isOver = async () =>
      (await Promise.race([stopped, sleep(50, false)])) &&
      (await second.sql('SELECT FROM integrations WHERE holder IS NULL')).length === 0;
    const answers = [];
    do {
      const startedAt = performance.now();
      const { status, body } = await send();
      answers.push({ status, data: body.data.status });
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    } while (!(await isOver()));
    answers.push({ status: 200, data: (await send()).body.data.status });
    expect(answers).toEqual(answers.map(() => ({ status: 200, data: 'sent' })));
    expect((await second.integration('telegram')).status).toBe('connected');
    const told = await second.sql(
      `SELECT type FROM events WHERE type IN ('integration.disconnected', 'integration.error')`,
    );
    expect(told).toEqual([]);
  });

  it('refuses a send that has waited five seconds for a new holder', async () => {
    telegram.fail({ method: 'getMe', kind: 'hang', times: Infinity });
    const stop = first.stop();
    await eventually('it is given back', async () => {
      expect((await second.integration('telegram')).status).toBe('reconnecting');
    });
    const startedAt = performance.now();
    const { status, body } = await send();
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'PLATFORM_NOT_CONNECTED' });
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    await stop;
  });
});
