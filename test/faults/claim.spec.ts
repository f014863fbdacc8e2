import { eventually } from '../support/eventually';
import type { GatewayProcess } from '../support/process';
import { BreakablePostgres } from './breakable-postgres';
import { Deployment } from './deployment';

const ROUNDS = 3;

describe('an attempt in progress when PostgreSQL crashes', () => {
  let postgres: BreakablePostgres;
  let deployment: Deployment;

  beforeAll(async () => {
    postgres = await BreakablePostgres.start();
    deployment = await Deployment.create({ databaseUrl: postgres.url });
  }, 90_000);
  afterAll(async () => {
    await deployment?.stop();
    await postgres?.stop();
  });

  /** Resolves once no instance can record anything any more. */
  async function crash(instance: GatewayProcess): Promise<void> {
    await postgres.crash();
    await eventually('the gateway notices that the database is away', async () => {
      expect((await instance.api('GET', '/health/ready')).status).toBe(503);
    });
  }

  it('is not repeated, because its claim had reached the disk', async () => {
    const instance = await deployment.startInstance();
    await deployment.register(instance, ['message.sent']);
    for (let round = 1; round <= ROUNDS; round++) {
      let crashed: Promise<void> | undefined;
      deployment.receiver.react((_, response) => {
        crashed ??= crash(instance);
        // Answered while the database is away.
        const answer = (): void => void response.end();
        crashed.then(answer, answer);
      });
      // The answer may be lost to the crash as well.
      await deployment.send(instance);
      await deployment.receiver.received(round);
      await crashed;
      await postgres.restart();
      expect((await deployment.allArrive()).print('PostgreSQL crashed right after a claim').most).toBe(1);
      await eventually('the gateway is ready', async () => {
        expect((await instance.api('GET', '/health/ready')).status).toBe(200);
      });
    }
  }, 120_000);
});
