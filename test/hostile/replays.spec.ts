import { LOCAL_RECEIVERS, ReceiverFake } from '../fakes/receiver.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { onTimetable } from '../load/load';
import { median, percentile } from '../load/statistics';
import { GatewayProcess } from '../support/process';
import { sharedPostgres } from '../support/postgres';
import { withClient } from '../load/stage';
import { expectAtMost } from './figures';

const EVENTS = 5_000;
const WEBHOOKS = 2;
const REPLAYS = 21;
const ROUNDS = 3;
const TIMETABLE = { perSecond: 50, seconds: 4 };
/** The promise is 2 × on a dedicated machine; here clients, platform and receiver share two cores with the gateway. */
const MOST = 3;

jest.setTimeout(180_000);

describe('replays of thousands of events', () => {
  it('do not raise the p99 of live sends', async () => {
    const [telegram, receiver] = await Promise.all([new TelegramFake().start(), new ReceiverFake().start()]);
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    const gateway = await GatewayProcess.start({ telegram, env: { ...LOCAL_RECEIVERS, DATABASE_URL: databaseUrl } });
    const limits = { requests_per_minute: 1_000_000, requests_per_hour: 1_000_000 };
    const wide = { name: 'Wide', environment: 'live', scopes: ['*'], rate_limit: limits };
    const { key } = (await gateway.api<{ key: string }>('POST', '/admin/api-keys', wide)).body.data;
    await gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute: 100_000 } });
    const webhooks: string[] = [];
    for (let count = 0; count < WEBHOOKS; count += 1) {
      const body = { url: receiver.url(`/${count}`), events: ['backup.failed'] };
      webhooks.push((await gateway.api<{ id: string }>('POST', '/webhooks', body)).body.data.id);
    }
    await withClient(databaseUrl, (client) =>
      client.query(`
        UPDATE webhooks SET created_at = now() - interval '300 days';
        INSERT INTO events (id, environment, type, created_at, body)
        SELECT gen_random_uuid(), 'live', 'backup.failed', now() - n * interval '1 minute', '{}'
        FROM generate_series(1, ${EVENTS}) n`),
    );
    let sent = 0;
    const sends = async () => {
      const latencies = await onTimetable(TIMETABLE, async (due) => {
        const body = { platform: 'telegram', recipient: String(1_000 + (sent++ % 50)), message: 'Hello' };
        expect((await gateway.api('POST', '/messages/send', body, { key })).status).toBe(200);
        return performance.now() - due;
      });
      return percentile(latencies, 0.99);
    };
    const replay = (index: number) => {
      const since = new Date(Date.now() - 86_400_000 * 30).toISOString();
      return gateway.api('POST', `/webhooks/${webhooks[index % WEBHOOKS]}/replay`, { since }, { key });
    };
    await sends();
    const [alone, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await sends());
      const replays = Promise.all(Array.from({ length: REPLAYS }, (_, index) => replay(index)));
      beside.push(await sends());
      const statuses = (await replays).map(({ status }) => status);
      expect(statuses).toContain(200);
      await withClient(databaseUrl, (client) => client.query('DELETE FROM webhook_dispatches'));
    }
    process.stdout.write(
      `  p99 of live sends: alone ${alone.map(Math.round).join(', ')} ms, beside replays ${beside.map(Math.round).join(', ')} ms\n`,
    );
    expectAtMost({ name: 'p99 beside replays', value: median(beside) / median(alone), unit: '×', most: MOST });
    await Promise.all([telegram.stop(), receiver.stop()]);
  });
});
