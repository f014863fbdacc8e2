import type { ServerResponse } from 'node:http';
import { eventually } from '../support/eventually';
import { Deployment } from './deployment';

const MESSAGES = 150;

describe('webhooks under failure', () => {
  let deployment: Deployment;
  beforeEach(async () => void (deployment = await Deployment.create()));
  afterEach(() => deployment.stop());

  it('lose nothing to kill -9 under load, and deliver at most twice', async () => {
    const { receiver } = deployment;
    const first = await deployment.startInstance();
    await deployment.register(first);
    // A receiver that takes its time has attempts under way at any moment.
    receiver.react((_, response) => void setTimeout(() => response.end(), 20));
    const sends = Array.from({ length: MESSAGES }, (_, i) => deployment.send(first, `ada-${i % 10}`));
    await receiver.received(60);
    await first.kill();
    await Promise.all(sends);
    await deployment.startInstance();
    expect((await deployment.allArrive()).print('kill -9 under load').most).toBeLessThanOrEqual(2);
  }, 120_000);

  it('repeat what was posted but not recorded before the kill', async () => {
    const { receiver } = deployment;
    const first = await deployment.startInstance();
    const id = await deployment.register(first, ['message.sent']);
    const held: ServerResponse[] = [];
    receiver.react((_, response) => void held.push(response));
    await deployment.send(first);
    await receiver.received(1);
    await first.kill();
    receiver.react(200);
    const second = await deployment.startInstance();
    const posts = await receiver.received(2, '/', 30_000);
    expect(posts[1]!.raw).toBe(posts[0]!.raw);
    await eventually('the one recorded attempt is the second', async () => {
      const { body } = await second.api<{ attempt: number; status: string }[]>('GET', `/webhooks/${id}/deliveries`);
      expect(body.data).toMatchObject([{ attempt: 1, status: 'success' }]);
    });
    expect(receiver.posts).toHaveLength(2);
  }, 90_000);

  it('deliver within six seconds what a killed instance was delivering', async () => {
    const { receiver } = deployment;
    const first = await deployment.startInstance();
    await deployment.register(first, ['message.sent']);
    receiver.react(() => undefined);
    await deployment.send(first);
    await receiver.received(1);
    await deployment.startInstance();
    await first.kill();
    receiver.react(200);
    const killedAt = performance.now();
    await receiver.received(2, '/', 6_000);
    process.stdout.write(`  figure: ${Math.round(performance.now() - killedAt)} ms after the kill\n`);
  }, 90_000);

  it('deliver what was committed before a kill', async () => {
    const { receiver } = deployment;
    const first = await deployment.startInstance();
    const id = await deployment.register(first, ['message.sent']);
    await first.kill();
    // Exactly what a process leaves that dies between the commit and the signal to the workers.
    await deployment.sql(`
      WITH event AS (
        INSERT INTO events (id, environment, type, body, created_at)
        VALUES ('01900000-0000-7000-8000-000000000001', 'test', 'message.sent',
          '{"id":"evt_01j0000000e00800000000000e","type":"message.sent","created_at":"2026-01-01T00:00:00.000Z","data":{"platform":"telegram"}}', now())
        RETURNING id
      )
      INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
      SELECT event.id, webhooks.id, now(), now() FROM event CROSS JOIN webhooks`);
    const second = await deployment.startInstance();
    const [post] = await receiver.received(1);
    expect(post!.event).toEqual({
      id: 'evt_01j0000000e00800000000000e',
      type: 'message.sent',
      created_at: '2026-01-01T00:00:00.000Z',
      data: { platform: 'telegram' },
    });
    await eventually('it is recorded', async () => {
      const { body } = await second.api<{ attempt: number; status: string }[]>('GET', `/webhooks/${id}/deliveries`);
      expect(body.data).toMatchObject([{ attempt: 1, status: 'success' }]);
    });
  }, 90_000);

  it('are taken over from a killed instance', async () => {
    const { receiver } = deployment;
    const [one, other] = [await deployment.startInstance(), await deployment.startInstance()];
    await deployment.register(one);
    receiver.react((_, response) => void setTimeout(() => response.end(), 20));
    const sends = Array.from({ length: MESSAGES }, (_, i) => deployment.send(i % 2 ? one : other, `ada-${i % 10}`));
    await receiver.received(60);
    await one.kill();
    await Promise.all(sends);
    expect((await deployment.allArrive()).print('one of two instances killed').most).toBeLessThanOrEqual(2);
  }, 120_000);

  it('stop cleanly under load: nothing is lost or doubled', async () => {
    const { receiver } = deployment;
    const first = await deployment.startInstance();
    await deployment.register(first);
    receiver.react((_, response) => void setTimeout(() => response.end(), 20));
    const sends = Array.from({ length: MESSAGES }, (_, i) => deployment.send(first, `ada-${i % 10}`));
    await receiver.received(60);
    const asked = performance.now();
    first.child.kill('SIGTERM');
    expect({ ...(await first.exited), output: first.output }).toMatchObject({ code: 0 });
    expect(performance.now() - asked).toBeLessThan(35_000);
    await Promise.all(sends);
    await deployment.startInstance();
    expect((await deployment.allArrive()).print('SIGTERM under load').most).toBe(1);
  }, 120_000);

  it('abort hanging attempts 30 seconds after SIGTERM, and leave them to the next instance', async () => {
    const { receiver } = deployment;
    const first = await deployment.startInstance({ WEBHOOK_TIMEOUT_SECONDS: '120' });
    await deployment.register(first, ['message.sent']);
    receiver.react(() => undefined);
    await deployment.send(first);
    await receiver.received(1);
    const asked = performance.now();
    first.child.kill('SIGTERM');
    expect({ ...(await first.exited), output: first.output }).toMatchObject({ code: 0 });
    expect(performance.now() - asked).toBeLessThan(35_000);
    const rows = await deployment.sql('SELECT attempts, lease_until FROM webhook_dispatches');
    expect(rows).toEqual([{ attempts: 0, lease_until: null }]);
    receiver.react(200);
    await deployment.startInstance();
    await receiver.received(2, '/', 5_000);
  }, 90_000);

  it('wait for a receiver that is down', async () => {
    const { receiver } = deployment;
    const first = await deployment.startInstance();
    await deployment.register(first);
    await receiver.stop();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => deployment.send(first)));
    expect({ statuses, output: first.output }).toMatchObject({ statuses: Array(20).fill(200) });
    await eventually('the first attempts have failed', async () => {
      const rows = await deployment.sql(`SELECT 1 FROM webhook_deliveries WHERE status = 'failed'`);
      expect(rows.length).toBeGreaterThanOrEqual(40);
    });
    await receiver.start();
    expect((await deployment.allArrive()).print('receiver away').most).toBe(1);
  }, 90_000);
});
