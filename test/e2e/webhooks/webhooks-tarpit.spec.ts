import type { EventData } from '#contracts';
import { DomainEvents } from '../../../src/core/events/domain-events.service';
import { tarpit } from '../../fakes/hostile-receiver-kinds';
import { HostileReceiver } from '../../fakes/hostile-receiver.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const HEALTHY = 10;
/** More than a tarpit holds. */
const EVENTS = 150;
/** Less than the tarpits have. */
const TIMEOUT_MS = 25_000;
/** Posts that a webhook may have under way at once before its receiver answers. */
const PLACES = 4;

const FAILED: EventData<'backup.failed'> = { environment: 'live', backup_id: 'bak_1', error: 'disk full' };

describe('receivers that hold every connection', () => {
  let healthy: ReceiverFake;
  let gateway: TestGateway;
  let tarpits: HostileReceiver[];

  beforeEach(async () => {
    healthy = await new ReceiverFake().start();
    gateway = await startTestGateway({
      env: { ...LOCAL_RECEIVERS, WEBHOOK_TIMEOUT_SECONDS: '60' },
    });
  });
  afterEach(async () => {
    // Let go, the attempts end.
    await Promise.all(tarpits.map((receiver) => receiver.stop()));
    await gateway.sql('DELETE FROM webhooks');
    await gateway.stop();
    await healthy.stop();
  });

  const paths = Array.from({ length: HEALTHY }, (_, i) => `/healthy-${i}`);
  const register = async (url: string) => {
    const answer = await gateway.api('POST', '/webhooks', { url, events: ['backup.failed'] });
    expect(answer.status).toBe(201);
  };
  const record = async (count: number) => {
    const events = gateway.gateway.app.get(DomainEvents);
    await events.record(...Array.from({ length: count }, () => events.create('backup.failed', FAILED)));
  };
  const held = () => tarpits.map(({ open }) => open);

  it.each([1, 20])(
    '%i of them delay none of ten fast receivers',
    async (count) => {
      tarpits = await Promise.all(Array.from({ length: count }, () => new HostileReceiver(tarpit).start()));
      for (const receiver of tarpits) await register(receiver.url());
      // First they take all that they are given.
      await record(EVENTS);
      const assertHeld = () => expect(held()).toEqual(Array(count).fill(PLACES));
      await eventually('each holds its places', assertHeld, { timeoutMs: TIMEOUT_MS });
      for (const path of paths) await register(healthy.url(path));
      await record(EVENTS);
      for (const path of paths) {
        const posts = await healthy.received(EVENTS, path, TIMEOUT_MS);
        expect(posts).toHaveLength(EVENTS);
        expect(new Set(posts.map(({ event }) => event.id)).size).toBe(EVENTS);
      }
      // All the while.
      assertHeld();
    },
    90_000,
  );
});
