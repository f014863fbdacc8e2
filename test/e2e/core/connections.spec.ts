import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { sharedPostgres } from '../../support/postgres';
import { withClient } from '../../support/with-client';

const documented = readFileSync(join(__dirname, '../../../docs/databases.md'), 'utf8');
const SEND = { platform: 'telegram', recipient: '7', message: 'Hello' };
const CALLERS = 64;
const ROUNDS = 10;

describe('the connections of an instance to PostgreSQL', () => {
  let databaseUrl: string;
  let observer: Client;
  let receiver: ReceiverFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    databaseUrl = await (await sharedPostgres()).createDatabase();
    observer = new Client({ connectionString: databaseUrl, application_name: 'observer' });
    await observer.connect();
    receiver = await new ReceiverFake().start();
    gateway = await startTestGateway({ databaseUrl, env: LOCAL_RECEIVERS });
  }, 60_000);

  afterAll(() => observer.end());

  const test = (method: string, path: string, body?: unknown) =>
    gateway.api(method, path, body, { key: gateway.testKey });
  const count = async () => {
    const { rows } = await observer.query<{ all: number; queues: number }>(
      `SELECT count(*)::integer AS "all", count(*) FILTER (WHERE application_name = '')::integer AS queues
       FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'observer'`,
    );
    return rows[0]!;
  };

  it('never exceed the number in docs/databases.md, nor do those of its queues', async () => {
    const allowed = Number(/at most (\d+)\s+connections/.exec(documented)?.[1]);
    await test('POST', '/webhooks', { url: receiver.url(), events: ['*'] });
    await test('POST', '/messages/send', SEND);
    const conversation = newUuid();
    await gateway.sql(
      `INSERT INTO conversations (id, environment, platform, participant_id, created_at, last_message_at)
       VALUES ($1, 'live', 'telegram', '7', now(), now())`,
      [conversation],
    );
    const path = `/conversations/${toPublicId('conversation', conversation)}/clear`;
    const counts: Awaited<ReturnType<typeof count>>[] = [];
    const caller = async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await gateway.api('POST', path);
        await test('POST', '/messages/send', SEND);
        await test('GET', '/messages');
        await gateway.api('GET', '/messages');
        // What is not used stays open for ten seconds: nothing that was open for a moment is missed.
        counts.push(await count());
      }
    };
    // However fast the machine is, requests that wait for their conversation fill the pool.
    let calls: Promise<unknown> | undefined;
    await withClient(databaseUrl, async (other) => {
      await other.query(`SET application_name = 'observer'`);
      await other.query('BEGIN');
      await other.query('SELECT FROM conversations FOR UPDATE');
      calls = Promise.all(Array.from({ length: CALLERS }, caller));
      await eventually('the pool is full', async () => expect((await count()).all).toBeGreaterThan(20));
    });
    await calls;
    const most = Math.max(...counts.map(({ all }) => all));
    const mostOfQueues = Math.max(...counts.map(({ queues }) => queues));
    expect(most).toBeLessThanOrEqual(allowed);
    expect(mostOfQueues).toBeGreaterThan(0);
    expect(mostOfQueues).toBeLessThanOrEqual(3);
  }, 60_000);
});
