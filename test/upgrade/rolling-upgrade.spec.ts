import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Deployment } from '../faults/deployment';
import { SteadyLoad } from '../nginx/load';
import { Nginx } from '../nginx/nginx';
import { lastingPort } from '../support/lasting-port';
import { sharedPostgres } from '../support/postgres';
import type { GatewayProcess } from '../support/process';
import { buildPreviousVersion, hasPreviousVersion } from './previous-version';

const PER_SECOND = 200;
/** How long both versions serve beside each other. */
const TOGETHER_MS = 3_000;

(hasPreviousVersion() ? describe : describe.skip)('two instances of the previous version behind nginx', () => {
  let previous: string;
  let deployment: Deployment;
  let ports: number[];
  let instances: GatewayProcess[];
  let nginx: Nginx;

  beforeAll(async () => {
    previous = await buildPreviousVersion();
    // Empty: the previous version creates its schema.
    deployment = await Deployment.create({ databaseUrl: await (await sharedPostgres()).createEmptyDatabase() });
    ports = [await lastingPort(), await lastingPort()];
    instances = [await start(0, previous), await start(1, previous)];
    nginx = await Nginx.start(ports);
  }, 300_000);

  afterAll(async () => {
    await nginx?.stop();
    await deployment?.stop();
    if (previous) await rm(previous, { recursive: true, force: true });
  });

  const start = (index: number, root?: string) =>
    deployment.startInstance({ PORT: String(ports[index]), SHUTDOWN_DELAY_SECONDS: '1', DASHBOARD: 'false' }, root);

  /** As an operator does: nginx is told, the instance stops, another starts in its place, nginx is told. */
  async function replace(index: number, root?: string): Promise<void> {
    await nginx.leaveOut(ports[index]);
    instances[index]!.child.kill('SIGTERM');
    expect(await instances[index]!.exited).toEqual({ code: 0, signal: null });
    instances[index] = await start(index, root);
    await nginx.leaveOut();
    await sleep(TOGETHER_MS);
  }

  const migrations = async () => (await deployment.sql('SELECT name FROM migrations')).length;

  it.each([
    ['become this version one by one', undefined],
    ['and go back on the schema of this version', 'previous'],
  ])(
    '%s: no request fails, no message or event is lost or doubled',
    async (_, version) => {
      if (!version) await deployment.register(instances[0]!, ['message.sent']);
      const before = await migrations();
      const load = new SteadyLoad(nginx.url, deployment.key, PER_SECOND);
      for (const index of [0, 1]) await replace(index, version && previous);
      await load.stop();
      expect(load.failures).toEqual([]);
      deployment.acknowledged.push(...load.acknowledged);
      const tally = (await deployment.allArrive({ timeoutMs: 120_000 })).print(
        `${load.answered} requests, ${(await migrations()) - before} migrations`,
      );
      expect(tally.most).toBe(1);
      const [stored] = await deployment.sql<{ count: number }>('SELECT count(*)::int AS count FROM messages');
      expect(stored!.count).toBe(new Set(deployment.acknowledged).size);
    },
    300_000,
  );
});
