import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventPayload } from '#contracts';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { makePassableFolder } from '../../support/passable-folder';
import { sharedPostgres, withClient } from '../../support/postgres';
import { startPostgres, type PostgresServer } from '../../support/postgres-server';
import { rootMayMount } from '../../support/root';
import { TcpProxy } from '../../support/tcp-proxy';

interface Status {
  status: string;
  components: Record<string, string>;
  integrations: Record<string, unknown>;
}

const SEND = { platform: 'telegram', recipient: 'ada', message: 'hello '.repeat(1_000) };

let gateway: TestGateway;

const read = async () => {
  const { status, body } = await gateway.api<Status>('GET', '/status');
  return { http: status, word: body.data.status, database: body.data.components['database'] };
};
const send = () => gateway.api('POST', '/messages/send', SEND, { key: gateway.testKey });
const ready = async () => (await fetch(`${gateway.url}/health/ready`)).status;
const becomes = (word: string, timeoutMs = 20_000) =>
  eventually(`the status is ${word}`, async () => expect((await read()).word).toBe(word), { timeoutMs, everyMs: 50 });
const told = async () => {
  const rows = await gateway.sql<{ body: string }>(
    `SELECT body FROM events WHERE type = 'system.health' AND environment = 'live' ORDER BY created_at, id`,
  );
  return rows.map(({ body }) => (JSON.parse(body) as EventPayload<'system.health'>).data);
};
/** The first health is recorded without an event. */
const watched = () =>
  eventually('the health is watched', async () =>
    expect(
      await gateway.sql(`SELECT FROM health_states WHERE environment = 'live' AND status = 'healthy'`),
    ).toHaveLength(1),
  );
const toldOf = (words: string[]) =>
  eventually('each word is told, and no other', async () => {
    expect((await told()).map(({ status }) => status)).toEqual(words);
  });

describe('a database that reads but does not write', () => {
  afterEach(() => gateway.stop());

  it('is unhealthy while it is read-only, with reads served and writes refused at once', async () => {
    gateway = await startTestGateway();
    await watched();
    const setReadOnly = (value: 'on' | 'off') =>
      withClient((gateway as { databaseUrl: string }).databaseUrl, async (client) => {
        await client.query('SET default_transaction_read_only = off');
        const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
        await client.query(`ALTER DATABASE ${rows[0]!.name} SET default_transaction_read_only = ${value}`);
        await client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
      });
    await setReadOnly('on');
    await becomes('unhealthy');
    expect(await read()).toEqual({ http: 200, word: 'unhealthy', database: 'unhealthy' });
    await eventually('it is ready: reads are served', async () => expect(await ready()).toBe(200));
    expect((await gateway.api('GET', '/messages')).status).toBe(200);
    const startedAt = performance.now();
    expect((await send()).body.error.code).toBe('INTERNAL_ERROR');
    expect(performance.now() - startedAt).toBeLessThan(1_000);

    await setReadOnly('off');
    await becomes('healthy');
    expect((await send()).status).toBe(200);
    await toldOf(['unhealthy', 'healthy']);
    expect((await told())[0]).toMatchObject({ previous_status: 'healthy', components: { database: 'unhealthy' } });
  }, 60_000);

  (rootMayMount() ? describe : describe.skip)('whose disk is full', () => {
    let folder: string;
    let postgres: PostgresServer;

    beforeAll(async () => {
      folder = await makePassableFolder('gateway-test-full-disk-');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=0711', 'tmpfs', folder]);
      postgres = await startPostgres(join(folder, 'data'));
    }, 60_000);

    afterAll(async () => {
      await postgres.stop();
      execFileSync('umount', [folder]);
      await rm(folder, { recursive: true });
    });

    it('is unhealthy until there is space again, with the same text in status and event', async () => {
      gateway = await startTestGateway({ databaseUrl: postgres.url });
      await watched();
      const filler = join(folder, 'filler');
      await writeFile(filler, Buffer.alloc(200 << 20)).catch(() => undefined);
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => send().then(({ status }) => status)));
      expect(outcomes).toContain(500);
      await becomes('unhealthy');
      // Longer than a refused write is remembered: probes must go on failing.
      const until = performance.now() + 5_000;
      while (performance.now() < until) {
        expect(await read()).toEqual({ http: 200, word: 'unhealthy', database: 'unhealthy' });
        expect(await ready()).toBe(200);
        await sleep(100);
      }
      await rm(filler);
      await becomes('healthy');
      expect((await send()).status).toBe(200);
      await toldOf(['unhealthy', 'healthy']);
    }, 90_000);
  });
});

describe('a database that is down', () => {
  it('is shown by GET /status to a key that was checked within a minute, and other requests get 500', async () => {
    const proxy = await new TcpProxy(await (await sharedPostgres()).createDatabase()).open();
    gateway = await startTestGateway({ databaseUrl: proxy.url });
    await watched();
    await send();
    const unused = await gateway.createKey();
    expect(await read()).toEqual({ http: 200, word: 'healthy', database: 'healthy' });
    const { body: before } = await gateway.api<Status>('GET', '/status');

    await proxy.cut();
    expect(await read()).toEqual({ http: 200, word: 'unhealthy', database: 'unhealthy' });
    const { body: during } = await gateway.api<Status>('GET', '/status');
    expect(during.data.integrations).toEqual(before.data.integrations);
    await eventually('keys are not trusted any more', async () =>
      expect((await gateway.api('GET', '/integrations')).status).toBe(500),
    );
    expect((await gateway.api('GET', '/status', undefined, { key: unused })).status).toBe(500);
    expect((await gateway.api('GET', '/messages')).status).toBe(500);
    expect(await ready()).toBe(503);

    await proxy.open();
    await becomes('healthy');
    await toldOf(['unhealthy', 'healthy']);
    await gateway.stop();
    await proxy.cut();
  }, 60_000);
});
