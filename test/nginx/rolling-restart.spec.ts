import { Deployment } from '../faults/deployment';
import { lastingPort } from '../support/lasting-port';
import type { GatewayProcess } from '../support/process';
import { SteadyLoad } from './load';
import { Nginx } from './nginx';

const RESTARTS = 10;
const PER_SECOND = 200;
/** Shorter than in production, so that ten restarts do not take minutes. */
const DELAY_SECONDS = '1';

describe('two instances behind nginx, under load', () => {
  let deployment: Deployment;
  let ports: number[];
  let instances: GatewayProcess[];
  let nginx: Nginx;

  beforeAll(async () => {
    deployment = await Deployment.create();
    ports = [await lastingPort(), await lastingPort()];
    instances = [await start(0), await start(1)];
    nginx = await Nginx.start(ports);
  }, 120_000);

  afterAll(async () => {
    await nginx.stop();
    await deployment.stop();
  });

  const start = (index: number) =>
    deployment.startInstance({ PORT: String(ports[index]), SHUTDOWN_DELAY_SECONDS: DELAY_SECONDS });

  /** Restarts the instances in turn. @returns the failures of each restart */
  async function restartAll(toldFirst: boolean): Promise<string[][]> {
    const failures: string[][] = [];
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const index = restart % 2;
      const load = new SteadyLoad(nginx.url, deployment.key, PER_SECOND);
      if (toldFirst) await nginx.leaveOut(ports[index]);
      instances[index]!.child.kill('SIGTERM');
      expect(await instances[index]!.exited).toEqual({ code: 0, signal: null });
      instances[index] = await start(index);
      if (toldFirst) await nginx.leaveOut();
      await load.stop();
      failures.push(load.failures);
      expect({ enough: load.answered > PER_SECOND, failures }).toEqual({ enough: true, failures });
    }
    return failures;
  }

  it('fail no request in ten restarts if nginx is told first', async () => {
    expect(await restartAll(true)).toEqual(Array.from({ length: RESTARTS }, () => []));
  }, 300_000);

  it('fail at most one request in each of ten restarts if nginx is not told first', async () => {
    const failures = await restartAll(false);
    process.stdout.write(`  nginx not told first: ${JSON.stringify(failures)}\n`);
    expect(Math.max(...failures.map(({ length }) => length))).toBeLessThanOrEqual(1);
  }, 300_000);
});
