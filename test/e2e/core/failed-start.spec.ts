import { startGateway } from '../../../src/bootstrap';
import { loadConfiguration } from '../../../src/core/config/load-configuration';
import { eventually } from '../../support/eventually';
import { testEnvironment } from '../../support/environment';
import { startTestGateway } from '../../support/gateway';
import { withClient } from '../../support/postgres';

/** Shorter than the ten seconds after which an idle connection of a pool closes by itself. */
const AT_ONCE_MS = 3_000;

describe('a start that fails while the application is created', () => {
  it('closes all connections to the database', async () => {
    const gateway = await startTestGateway();
    const { databaseUrl } = gateway;
    await gateway.stop();
    const connections = () =>
      withClient(databaseUrl, async (client) => {
        const { rows } = await client.query<{ name: string; query: string }>(
          `SELECT application_name AS name, query FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        );
        return rows;
      });
    await eventually('the first instance has closed its own', async () => expect(await connections()).toEqual([]));
    const configuration = loadConfiguration({
      ...testEnvironment({}),
      DATABASE_URL: databaseUrl,
      API_KEY_PEPPER: 'another pepper than that of the database',
    });
    await expect(startGateway(configuration)).rejects.toThrow('The pepper is not the one');
    await eventually('every connection is closed', async () => expect(await connections()).toEqual([]), {
      timeoutMs: AT_ONCE_MS,
    });
  });
});
