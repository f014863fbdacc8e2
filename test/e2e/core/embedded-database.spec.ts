import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { makePassableFolder } from '../../support/passable-folder';
import { isAlive } from '../../support/process';

const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };

describe('the embedded PostgreSQL of a running gateway', () => {
  let dataDir: string;
  let receiver: ReceiverFake;
  let gateway: TestGateway;

  beforeEach(async () => {
    dataDir = await makePassableFolder('gateway-embedded-');
    receiver = await new ReceiverFake().start();
    gateway = await startTestGateway({
      // Its own, instead of the one that tests share.
      databaseUrl: 'embedded',
      env: { ...LOCAL_RECEIVERS, DATABASE_URL: undefined, DATA_DIR: dataDir },
    });
  }, 60_000);

  afterEach(async () => {
    await Promise.all([gateway.stop(), receiver.stop()]);
    await rm(dataDir, { recursive: true });
  });

  const postgresPid = async () => Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  const test = <Data>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });
  const healthOf = async (kind: 'live' | 'ready') => (await fetch(`${gateway.url}/health/${kind}`)).status;
  const send = async () => (await test<{ message_id: string }>('POST', '/messages/send', SEND)).body.data.message_id;
  const isUnavailable = () =>
    eventually('the database is known to be away', async () => expect(await healthOf('ready')).toBe(503), {
      everyMs: 5,
    });

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'recovers after %s with all data; until then requests get 500 at once',
    async (signal) => {
      await test('POST', '/webhooks', { url: receiver.url(), events: ['message.sent'] });
      const before = await send();
      await receiver.received(1);
      process.kill(await postgresPid(), signal);
      await isUnavailable();
      const askedAt = performance.now();
      const { status, body: refused } = await test('GET', '/messages');
      expect({ status, body: refused }).toEqual(expectedError('INTERNAL_ERROR', null));
      expect(performance.now() - askedAt).toBeLessThan(1_000);
      expect(await healthOf('live')).toBe(200);

      await eventually('it is ready again', async () => expect(await healthOf('ready')).toBe(200), {
        timeoutMs: 60_000,
      });
      const after = await eventually('it sends again', async () => {
        const id = await send();
        expect(id).toMatch(/^msg_/);
        return id;
      });
      const { body } = await test<{ id: string }[]>('GET', '/messages');
      expect(body.data.map(({ id }) => id)).toEqual(expect.arrayContaining([before, after]));
      const delivered = () => receiver.posts.map(({ event }) => (event.data as { message_id?: string }).message_id);
      await eventually(
        'the event arrives',
        () => expect(delivered()).toEqual(expect.arrayContaining([before, after])),
        {
          timeoutMs: 20_000,
        },
      );
      expect(delivered().filter((id) => id === before)).toHaveLength(1);
    },
    120_000,
  );

  it('does not prevent the gateway from stopping while it is unavailable', async () => {
    const pid = await postgresPid();
    process.kill(pid, 'SIGKILL');
    await isUnavailable();
    const stoppedAt = performance.now();
    await gateway.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
    const left = await postgresPid().catch(() => pid);
    expect(isAlive(left)).toBe(false);
  }, 60_000);
});
