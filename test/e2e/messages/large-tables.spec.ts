import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/core/database/data-source';
import { sharedPostgres } from '../../support/postgres';
import { withClient } from '../../support/with-client';

describe('Large tables', () => {
  it("are read without JIT compilation, whatever the server's setting", async () => {
    const url = await (await sharedPostgres()).createDatabase();
    await withClient(url, (client) => client.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET jit = on`));
    expect(await withClient(url, async (client) => (await client.query('SHOW jit')).rows)).toEqual([{ jit: 'on' }]);
    const dataSource = await new DataSource(dataSourceOptions(url)).initialize();
    try {
      expect(await dataSource.query('SHOW jit')).toEqual([{ jit: 'off' }]);
    } finally {
      await dataSource.destroy();
    }
  });
});
