import { eventually } from '../support/eventually';
import { Deployment } from './deployment';

const EVENTS = 20_000;
/** Of so many events, the receiver wants one. */
const ONE_IN = 10;
const DRAINED_MS = 35_000;

describe('a backlog of events without dispatch work', () => {
  let deployment: Deployment;
  beforeAll(async () => void (deployment = await Deployment.create()));
  afterAll(() => deployment.stop());

  it('is delivered while requests are served', async () => {
    const instance = await deployment.startInstance();
    await deployment.register(instance, ['message.sent']);
    const path = '/messages?per_page=1';
    await instance.kill();
    await deployment.sql(`
      WITH event AS (
        INSERT INTO events (id, environment, type, body, created_at)
        SELECT gen_random_uuid(), 'test', type,
          json_build_object('id', 'evt_backlog' || n, 'type', type, 'created_at', now(), 'data',
            json_build_object('platform', 'telegram'))::text, now()
        FROM generate_series(1, ${EVENTS}) n, LATERAL (
          SELECT CASE WHEN n % ${ONE_IN} = 0 THEN 'message.sent' ELSE 'message.delivered' END AS type
        ) t
        RETURNING id, type
      )
      INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
      SELECT event.id, webhooks.id, now(), now() FROM event JOIN webhooks ON event.type = ANY (webhooks.events)`);
    const again = await deployment.startInstance();
    const startedAt = performance.now();
    let slowest = 0;
    await eventually(
      'nothing is due any more',
      async () => {
        const askedAt = performance.now();
        expect((await again.api('GET', path)).status).toBe(200);
        slowest = Math.max(slowest, performance.now() - askedAt);
        const [row] = await deployment.sql<{ count: number }>(
          'SELECT count(*)::int AS count FROM webhook_dispatches WHERE next_at IS NOT NULL',
        );
        expect(row!.count).toBe(0);
      },
      { timeoutMs: DRAINED_MS, everyMs: 100 },
    );
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(
      `  ${EVENTS / ONE_IN} of ${EVENTS} events delivered in ${seconds} s, slowest request ${Math.round(slowest)} ms\n`,
    );
    expect((await deployment.allArrive({ timeoutMs: 120_000 })).print('A backlog of events').most).toBe(1);
  }, 240_000);
});
