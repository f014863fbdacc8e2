import { setTimeout as sleep } from 'node:timers/promises';
import { TelegramFake } from '../fakes/telegram.fake';
import { cpuTimeOf } from '../support/cpu-time';
import { machineSlowness } from '../support/machine-speed';
import { sharedPostgres, withClient } from '../support/postgres';
import { GatewayProcess } from '../support/process';
import { redisOnPath, startRedis } from '../support/redis';

/** By then the first runs of periodic jobs are over. */
const SETTLED_MS = 35_000;
const MEASURED_MS = 30_000;
/** Percent of one core of the machine where the goal of 1.5 was set; other tests beside this one make it more. */
const MOST_PERCENT = 3;

/** @returns the percentage of one core of that machine */
async function useOf(pids: readonly number[]): Promise<number> {
  const before = cpuTimeOf(pids);
  const startedAt = performance.now();
  await sleep(MEASURED_MS);
  const used = (cpuTimeOf(pids) - before) / (performance.now() - startedAt);
  return (used * 100) / (await machineSlowness());
}

describe('an idle gateway', () => {
  let telegram: TelegramFake;

  beforeAll(async () => {
    telegram = await new TelegramFake().start();
  });

  it('uses at most three percent of a core, its embedded PostgreSQL included', async () => {
    const gateway = await GatewayProcess.start({ telegram });
    await sleep(SETTLED_MS);
    const percent = await useOf([gateway.child.pid!, (await gateway.postgresPid())!]);
    process.stdout.write(`  idle: ${percent.toFixed(2)} % of a core, with its PostgreSQL\n`);
    expect(percent).toBeLessThanOrEqual(MOST_PERCENT);
    await gateway.kill();
  }, 150_000);

  (redisOnPath() ? it : it.skip)(
    'uses at most three percent of a core with DATABASE_URL and REDIS_URL, its connections there included',
    async () => {
      const redis = (await startRedis())!;
      const databaseUrl = await (await sharedPostgres()).createDatabase();
      const gateway = await GatewayProcess.start({
        telegram,
        env: { DATABASE_URL: databaseUrl, REDIS_URL: redis.url },
      });
      await sleep(SETTLED_MS);
      const backends = await withClient(databaseUrl, async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        return rows.map(({ pid }) => pid);
      });
      const percent = await useOf([gateway.child.pid!, ...backends]);
      process.stdout.write(`  idle: ${percent.toFixed(2)} % of a core, with DATABASE_URL and REDIS_URL\n`);
      expect(percent).toBeLessThanOrEqual(MOST_PERCENT);
      await gateway.kill();
      await redis.stop();
    },
    150_000,
  );
});
