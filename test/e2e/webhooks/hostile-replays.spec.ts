import { newUuid, toPublicId } from '#contracts';
import { SecretBox } from '../../../src/core/secrets/secret-box.service';
import { STEP } from '../../../src/webhooks/endpoints/replays.service';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

/** Each replay has so many events to queue: it takes seconds. */
const EVENTS = 20_000;
const SINCE = '2026-01-01T00:00:00Z';

interface Replayed {
  events_queued: number;
}

describe('replays of webhooks', () => {
  const gateway = useGateway({ env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
    await gateway.sql(
      `INSERT INTO events (id, environment, type, created_at, body)
       SELECT gen_random_uuid(), environment, 'backup.failed', now() - n * interval '1 second', '{}'
       FROM generate_series(1, ${EVENTS}) n CROSS JOIN unnest('{live,test}'::environment[]) environment`,
    );
  }, 60_000);
  afterEach(() => gateway.sql('DELETE FROM webhooks'));

  /** A webhook that is older than all events. */
  const register = async (path = '/'): Promise<string> => {
    const id = newUuid();
    const secret = gateway.app.get(SecretBox).seal('a-secret-for-replays', id);
    await gateway.sql(
      `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
       VALUES ($1, 'live', $2, '{backup.failed}', $3, '2026-01-01', '2026-01-01')`,
      [id, receiver.url(path), secret],
    );
    return toPublicId('webhook', id);
  };
  const replay = (id: string, key?: string) =>
    gateway.api<Replayed>('POST', `/webhooks/${id}/replay`, { since: SINCE }, { key });
  const queued = async () => {
    const [row] = await gateway.sql<{ count: number }>('SELECT count(*)::integer AS count FROM webhook_dispatches');
    return row!.count;
  };
  const begun = () =>
    eventually('a replay has queued its first step', async () => expect(await queued()).toBeGreaterThan(0));

  it('run two at once per environment; a third gets RATE_LIMIT_EXCEEDED', async () => {
    const [one, two] = [await register('/one'), await register('/two')];
    const both = [replay(one), replay(two)];
    await begun();
    const third = await replay(one);
    expect(third.status).toBe(429);
    expect(third.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { limit: 2 } });
    expect(third.headers['retry-after']).toBeDefined();
    await gateway.sql(`UPDATE webhooks SET status = 'disabled'`);
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([400, 400]);
  }, 60_000);

  it('stop between two steps if the webhook is disabled or deleted, and the next replay queues the rest', async () => {
    const id = await register();
    const disabled = replay(id);
    await begun();
    await gateway.api('PATCH', `/webhooks/${id}`, { enabled: false });
    expect((await disabled).body.error).toMatchObject({ code: 'INVALID_REQUEST' });
    const count = await queued();
    expect(count % STEP).toBe(0);
    expect(count).toBeLessThan(EVENTS);
    await gateway.api('PATCH', `/webhooks/${id}`, { enabled: true });
    const rest = replay(id);
    await eventually('it has gone on', async () => expect(await queued()).toBeGreaterThan(count));
    await gateway.api('DELETE', `/webhooks/${id}`);
    expect((await rest).body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  }, 60_000);

  it('can be started ten times a minute per key', async () => {
    const id = await register();
    await gateway.sql(`UPDATE webhooks SET created_at = now()`);
    const key = await gateway.createKey();
    for (let count = 0; count < 10; count += 1) expect((await replay(id, key)).status).toBe(200);
    const refused = await replay(id, key);
    expect(refused.body.error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 10, window_seconds: 60 },
    });
    expect((await replay(id, await gateway.createKey())).status).toBe(200);
  });
});
