import { spawnSync } from 'node:child_process';
import { knowsPreparedStatements, PgBouncer, PROGRAM } from '../../../test/support/pooler';
import { sharedPostgres } from '../../../test/support/postgres';
import { loadConfiguration } from '../../core/config/load-configuration';
import { PoolerCheck } from './pooler.check';

const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0;
if (!isInstalled) process.stderr.write('SKIPPED: no pgbouncer on PATH; install the package pgbouncer\n');

describe(PoolerCheck.name, () => {
  let url: string;
  let pooler: PgBouncer | undefined;

  beforeAll(async () => {
    url = await (await sharedPostgres()).createDatabase();
    if (isInstalled) pooler = await PgBouncer.start(url);
  });
  afterAll(() => pooler?.stop());

  const check = async (databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> => {
    const found = await new PoolerCheck(databaseUrl, loadConfiguration(env)).check();
    return found.map(({ name }) => name);
  };

  it('reports nothing without a pooler', async () => {
    expect(await check(url)).toEqual(['database']);
  });

  it('leaves an unreachable database to another check', async () => {
    await expect(check('postgres://gateway@127.0.0.1:9/gateway')).rejects.toThrow('cannot be reached');
  });

  it('reports a pooler without DATABASE_DIRECT_URL: database.pooler', async () => {
    if (!pooler) return;
    expect(await check(pooler.urlOf(url), { DATABASE_PREPARED: 'false' })).toEqual(['database.pooler']);
    const env = { DATABASE_PREPARED: 'false', DATABASE_DIRECT_URL: url };
    expect(await check(pooler.urlOf(url), env)).toEqual(['database']);
  });

  it('reports prepared statements behind a PgBouncer before 1.21: database.pooler', async () => {
    if (!pooler) return;
    const found = await check(pooler.urlOf(url), { DATABASE_DIRECT_URL: url });
    expect(found).toEqual([knowsPreparedStatements() ? 'database' : 'database.pooler']);
  });
});
