import { setTimeout as sleep } from 'node:timers/promises';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { withClient } from '../../support/postgres';

const ROUNDS = 60;

describe('GET /status while all database connections end repeatedly', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
    expect((await gateway.api('GET', '/status')).status).toBe(200);
  });

  it('answers 200 each time, with the database unhealthy at worst', async () => {
    const ended = new AbortController();
    const answers = new Map<string, number>();
    const ask = async () => {
      while (!ended.signal.aborted) {
        const { status, body } = await gateway.api<{ components: { database: string } }>('GET', '/status');
        const word = `${status} ${body.data?.components.database ?? body.error.code}`;
        answers.set(word, (answers.get(word) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 8 }, ask);
    await withClient(gateway.databaseUrl, async (client) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        // The listener connects again after half a second, so the ends meet each moment of its return.
        await sleep(53);
      }
    });
    ended.abort();
    await Promise.all(clients);
    process.stdout.write(`  ${JSON.stringify(Object.fromEntries(answers))}\n`);
    expect([...answers.keys()].filter((word) => !word.startsWith('200 '))).toEqual([]);
  });
});
