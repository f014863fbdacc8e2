import { GatewayProcess } from '../../support/process';
import { sharedPostgres, withClient } from '../../support/postgres';

describe('a PostgreSQL older than version 15', () => {
  it('prevents the start with one line, and is not changed', async () => {
    const url = await (await sharedPostgres()).createEmptyDatabase();
    await withClient(url, async (client) => {
      // This function precedes the built-in one in the search path, so the server reports an older version.
      await client.query('CREATE SCHEMA past');
      await client.query(
        `CREATE FUNCTION past.current_setting(name text) RETURNS text LANGUAGE sql RETURN
           CASE name WHEN 'server_version' THEN '14.23' WHEN 'server_version_num' THEN '140023' END`,
      );
      await client.query(`ALTER DATABASE ${client.database} SET search_path = past, pg_catalog, public`);
    });
    const gateway = await GatewayProcess.spawn({ env: { DATABASE_URL: url, LOG_LEVEL: 'info' } });
    expect(await gateway.exited).toEqual({ code: 1, signal: null });
    expect(gateway.output.trim()).toBe(
      'The gateway could not start: DATABASE_URL points to PostgreSQL 14.23; version 15 or newer is required',
    );
    const tables = `SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`;
    expect((await withClient(url, (client) => client.query(tables))).rows).toEqual([]);
  });
});
