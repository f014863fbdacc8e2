import { Client } from 'pg';
import { newUuid } from '#contracts';
import { DueDispatches } from '../../../src/webhooks/dispatch/due-dispatches.service';
import { AttemptRecorder } from '../../../src/webhooks/dispatch/attempt-recorder.service';
import { LOCAL_RECEIVERS } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

const [FIRST, LAST] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'] as const;
/** As many that PostgreSQL finds single dispatches by their key. */
const OTHERS = 5_000;

/** In different orders, two of them could wait for each other: one would be rolled back, a second later. */
describe('a statement that locks several dispatches', () => {
  const gateway = useGateway({ env: LOCAL_RECEIVERS });
  let webhook: string;
  let publicId: string;

  beforeAll(async () => {
    const made = await gateway.api<{ id: string }>('POST', '/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['message.sent'],
    });
    publicId = made.body.data.id;
    // A replay begins with the making of the webhook.
    await gateway.sql(`UPDATE webhooks SET created_at = now() - interval '1 hour'`);
    [{ id: webhook }] = (await gateway.sql<{ id: string }>('SELECT id FROM webhooks')) as [{ id: string }];
    // In all but their ids, the last comes first. They are held, so that no worker claims them.
    for (const [id, minutes] of [
      [LAST, 2],
      [FIRST, 1],
    ] as const) {
      const past = `now() - interval '${minutes} minutes'`;
      await gateway.sql(`INSERT INTO events (id, environment, type, body, created_at)
        VALUES ('${id}', 'live', 'message.sent', '{}', ${past})`);
      await gateway.sql(`INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at, lease_until)
        VALUES ('${id}', '${webhook}', ${past}, ${past}, now() + interval '1 hour')`);
    }
    await gateway.sql(`INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, state)
      SELECT gen_random_uuid(), gen_random_uuid(), now(), 'delivered' FROM generate_series(1, ${OTHERS})`);
    await gateway.sql('ANALYZE webhook_dispatches');
  });

  /** While someone has the first, `work` waits for it, and has not taken the last. */
  const expectInOrder = async (work: () => Promise<unknown>) => {
    const other = new Client(gateway.databaseUrl);
    await other.connect();
    try {
      const lock = (event: string, wait: 'NOWAIT' | '' = '') =>
        other.query(`SELECT 1 FROM webhook_dispatches WHERE event_id = '${event}' FOR UPDATE ${wait}`);
      await other.query('BEGIN');
      // An attempt of the test before may still be on its way to its record.
      await lock(FIRST);
      const done = work();
      await eventually('it waits', async () => {
        const waiting = await gateway.sql(`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%webhook_dispatches%'`);
        expect(waiting).toHaveLength(1);
      });
      await lock(LAST, 'NOWAIT');
      await other.query('ROLLBACK');
      await done;
    } finally {
      await other.end();
    }
  };

  const bothBackwards = () =>
    [LAST, FIRST].map((event_id) => ({ event_id, webhook_id: webhook, environment: 'live' as const, fence: 0 }));

  it('locks them in order to extend leases', () =>
    expectInOrder(() => gateway.app.get(DueDispatches).extend(bothBackwards())));

  it('locks them in order to record attempts', async () => {
    const recorder = gateway.app.get(AttemptRecorder);
    const record = (held: ReturnType<typeof bothBackwards>[number]) =>
      recorder.record({
        ...held,
        id: newUuid(),
        url: 'http://127.0.0.1:9/',
        event_type: 'message.sent',
        number: 1,
        status: 'failed',
        error: 'refused',
        response_code: null,
        response_time_ms: 1,
        response_body: null,
        response_headers: null,
        signed_twice: false,
        at: new Date(),
        state: 'pending',
        retry_after_seconds: 3_600,
        webhook_status: null,
      });
    await expectInOrder(() => Promise.all(bothBackwards().map(record)));
  });

  it('locks them in order to replay them', () =>
    expectInOrder(() =>
      gateway.api('POST', `/webhooks/${publicId}/replay`, { since: new Date(Date.now() - 3_600_000).toISOString() }),
    ));

  it('locks them in order to enable their webhook', async () => {
    await gateway.api('PATCH', `/webhooks/${publicId}`, { enabled: false });
    await eventually('attempts of the replay are recorded', async () =>
      expect(await gateway.sql('SELECT FROM webhook_dispatches WHERE lease_until > now()')).toEqual([]),
    );
    await gateway.sql(`UPDATE webhook_dispatches SET next_at = now() + CASE event_id WHEN '${LAST}' THEN interval '1 hour'
      ELSE interval '2 hours' END WHERE webhook_id = '${webhook}'`);
    await expectInOrder(() => gateway.api('PATCH', `/webhooks/${publicId}`, { enabled: true }));
  });
});
