import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid, type Environment } from '#contracts';
import { DomainEvents } from '../../../src/core/events/domain-events.service';
import { SecretBox } from '../../../src/core/secrets/secret-box.service';
import { tarpit } from '../../fakes/hostile-receiver-kinds';
import { HostileReceiver } from '../../fakes/hostile-receiver.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { expectAtMost } from '../../hostile/figures';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

/** The most deliveries for test keys that a process has under way. */
const HANGING = 1_000;
const WEBHOOKS = 1_200;
const DELIVERIES = 20;

describe('webhooks of test keys whose receivers never answer', () => {
  let gateway: TestGateway;
  let healthy: ReceiverFake;
  let hanging: HostileReceiver;

  beforeAll(async () => {
    healthy = await new ReceiverFake().start();
    hanging = await new HostileReceiver(tarpit).start();
    gateway = await startTestGateway({ env: { ...LOCAL_RECEIVERS, WEBHOOK_TIMEOUT_SECONDS: '120' } });
  });
  afterAll(async () => {
    // Without the webhooks, the attempts that end are not made again.
    await gateway.sql('DELETE FROM webhooks');
    await hanging.stop();
    await gateway.stop();
    await healthy.stop();
  });

  const record = async (environment: Environment) => {
    const events = gateway.app.get(DomainEvents);
    await events.record(events.create('backup.failed', { environment, backup_id: 'bak_1', error: 'disk full' }));
  };

  /** As an earlier version let test keys register them: the limit of today is 1,000. */
  const registerHanging = async () => {
    const secrets = gateway.app.get(SecretBox);
    const ids = Array.from({ length: WEBHOOKS }, () => newUuid());
    await gateway.sql(
      `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
       SELECT id, 'test', $2 || id, '{backup.failed}', decode(secret, 'hex'), now(), now()
       FROM unnest($1::uuid[], $3::text[]) AS made (id, secret)`,
      [ids, hanging.url(), ids.map((id) => secrets.seal('a-secret-of-a-test-key', id).toString('hex'))],
    );
  };

  it('delay a live delivery by at most three seconds while they connect, and by one while they hang', async () => {
    expect((await gateway.api('POST', '/webhooks', { url: healthy.url(), events: ['backup.failed'] })).status).toBe(
      201,
    );
    await registerHanging();
    await record('test');
    await eventually('as many hang as may', () => expect(hanging.requests).toBeGreaterThanOrEqual(HANGING), {
      timeoutMs: 25_000,
    });
    const latencies: number[] = [];
    for (let count = 1; count <= DELIVERIES; count += 1) {
      const startedAt = performance.now();
      await record('live');
      const posts = await healthy.received(count);
      latencies.push(posts.at(-1)!.at - startedAt);
    }
    expect(hanging.open).toBe(HANGING);
    // One of them meets the thousand while they connect, to a receiver in this process.
    const [meanwhile, most] = latencies.toSorted((a, b) => b - a);
    expectAtMost({ name: 'a live delivery while 1,000 connect', value: meanwhile!, unit: 'ms', most: 3_000 });
    expectAtMost({
      name: 'a live delivery beside 1,000 hanging test deliveries',
      value: most!,
      unit: 'ms',
      most: 1_000,
    });
  }, 60_000);

  it('use few resources while they wait', async () => {
    const transactions = async () => {
      // Each connection reports its statistics once a second.
      await sleep(1_500);
      const [row] = await gateway.sql<{ count: number }>(
        `SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = current_database()`,
      );
      return row!.count;
    };
    const perSecond = async () => {
      const [before, startedAt] = [await transactions(), performance.now()];
      await sleep(1_500);
      return ((await transactions()) - before) / ((performance.now() - startedAt) / 1_000);
    };
    await eventually(
      'each of the 200 that wait for a place has had its turn',
      async () =>
        expectAtMost({ name: '200 webhooks that wait', value: await perSecond(), unit: 'transactions/s', most: 400 }),
      { timeoutMs: 40_000 },
    );
  }, 60_000);
});
