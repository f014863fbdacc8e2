import { DueWorkMonitor } from '../../../src/core/work/monitor/due-work-monitor.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

interface Status {
  status: string;
  components: Record<string, string>;
}

describe('the component workers', () => {
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
    await gateway.stop();
    await Promise.all([telegram.stop(), anthropic.stop()]);
  });

  const status = async () => (await gateway.api<Status>('GET', '/status')).body.data;
  const workersAre = (word: string, timeoutMs = 20_000) =>
    eventually(`workers are ${word}`, async () => expect((await status()).components['workers']).toBe(word), {
      timeoutMs,
      everyMs: 100,
    });
  const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();
  const eventsOf = (type: string) =>
    gateway.sql<{ data: Record<string, unknown> }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = $1 ORDER BY created_at, id`,
      [type],
    );
  /** The database refuses what the assistant notes before it asks, as it would after a fault of the program. */
  const refuseRequests = () =>
    gateway.sql(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.type = 'ai.request') EXECUTE FUNCTION refuse()`);

  it('is degraded when a reply fails five times by our own fault, and the reply ends with ai.error of type internal', async () => {
    await refuseRequests();
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    const [error] = await eventually(
      'the reply is given up',
      async () => {
        const events = await eventsOf('ai.error');
        expect(events).toHaveLength(1);
        return events;
      },
      { timeoutMs: 60_000 },
    );
    expect(error!.data).toMatchObject({ environment: 'live', error: { type: 'internal', retryable: false } });
    await workersAre('degraded');
    expect((await status()).status).toBe('degraded');
    expect(await metrics()).toMatch(/^gateway_due_work_stuck\{kind="replies"\} 1$/m);
    expect(anthropic.requestsOf('messages').length).toBeLessThanOrEqual(5);
    expect(await gateway.sql('SELECT FROM reply_tasks WHERE next_at IS NOT NULL')).toEqual([]);

    await gateway.sql('DROP TRIGGER refuse ON events');
    telegram.receiveText({ chatId: 7, text: 'Hello again' });
    await telegram.waitForSent(1, 20_000);
    await workersAre('degraded');
    await gateway.sql(`UPDATE reply_tasks SET given_up_at = given_up_at - interval '5 minutes'`);
    await workersAre('healthy');
  }, 120_000);

  it('is degraded for five minutes after a reply that the database refused twice', async () => {
    await gateway.sql(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.direction = 'outbound') EXECUTE FUNCTION refuse()`);
    telegram.receiveText({ chatId: 8, text: 'Hello' });
    await eventually('the reply is given up', async () => expect(await eventsOf('ai.error')).toHaveLength(1), {
      timeoutMs: 20_000,
    });
    expect(anthropic.requestsOf('messages')).toHaveLength(2);
    await workersAre('degraded');
    await gateway.sql('DROP TRIGGER refuse ON messages');
    telegram.receiveText({ chatId: 8, text: 'Hello again' });
    await telegram.waitForSent(1, 20_000);
    await workersAre('degraded');
    await gateway.sql(`UPDATE reply_tasks SET given_up_at = given_up_at - interval '5 minutes'`);
    await workersAre('healthy');
  }, 60_000);

  it('is degraded when due work is a minute overdue, which the metrics count', async () => {
    // As if it ran for long: what waited for its start is not overdue. test/slow waits for the minute.
    Object.assign(gateway.app.get(DueWorkMonitor), { availableSince: -Infinity });
    // Work of a kind that no worker finds: its lease was never taken.
    await gateway.sql(`CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER skip BEFORE UPDATE ON mail_outbox FOR EACH ROW EXECUTE FUNCTION skip()`);
    const owe = (age: string) =>
      gateway.sql(
        `INSERT INTO mail_outbox (id, environment, subject, text, created_at, next_at)
         VALUES (gen_random_uuid(), 'live', 'Hello', 'Hello', now(), now() - $1::interval)`,
        [age],
      );
    await owe('0 s');
    await eventually('it is counted', async () =>
      expect(await metrics()).toMatch(/^gateway_due_work\{kind="owner-mail"\} 1$/m),
    );
    expect((await status()).components['workers']).toBe('healthy');
    await owe('60 s');
    await workersAre('degraded');
    expect(await metrics()).toMatch(/^gateway_due_work_oldest_seconds\{kind="owner-mail"\} [67]\d/m);
    await gateway.sql('DROP TRIGGER skip ON mail_outbox');
    await workersAre('healthy');
  }, 60_000);

  it('ignores work delayed by a platform, the provider or a pause', async () => {
    await telegram.stop();
    anthropic.fail({ status: 400, times: Infinity });
    await gateway.sql(`INSERT INTO webhooks (id, environment, url, events, secret, status, created_at, updated_at)
      SELECT gen_random_uuid(), 'live', 'https://dead.example/', '{*}', '\\x00', 'disabled', now(), now()`);
    await gateway.sql(`WITH event AS (
        INSERT INTO events (id, environment, type, body, created_at)
        VALUES (gen_random_uuid(), 'live', 'system.health', '{}', now()) RETURNING id
      )
      INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
      SELECT event.id, webhooks.id, now() - interval '1 hour', now() - interval '1 hour' FROM event, webhooks`);
    await eventually('it was looked at', async () =>
      expect(await metrics()).toMatch(/^gateway_due_work\{kind="webhook-dispatches"\} 0$/m),
    );
    expect((await status()).components['workers']).toBe('healthy');
  }, 60_000);
});
