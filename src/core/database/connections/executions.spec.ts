import { DataSource } from 'typeorm';
import { sharedPostgres } from '../../../../test/support/postgres';
import { dataSourceOptions } from '../data-source';
import { Database, statement } from '../database.service';
import { Outage } from '../outage.service';
import { Executions } from './executions';
import { PreparedStatements } from './prepared-statements';

const ADD = statement(
  'spec-add',
  'INSERT INTO spec_numbers SELECT $1::integer RETURNING number, 100 / number AS share, txid_current() AS transaction',
);

interface Added {
  number: number;
  share: number;
  transaction: string;
}

describe(Executions.name, () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    const url = await (await sharedPostgres()).createDatabase();
    dataSource = await new DataSource(dataSourceOptions(url)).initialize();
    await dataSource.query('CREATE TABLE spec_numbers (number integer PRIMARY KEY)');
  }, 60_000);

  afterAll(() => dataSource.destroy());

  beforeEach(() => dataSource.query('TRUNCATE spec_numbers'));

  const stored = async () =>
    (await dataSource.query<{ number: number }[]>('SELECT number FROM spec_numbers ORDER BY 1')).map(
      ({ number }) => number,
    );

  describe.each([
    ['with names', true],
    ['without names', false],
  ])('%s', (_, named) => {
    let sut: Database;

    beforeAll(() => {
      sut = new Database(dataSource, new Outage(), new PreparedStatements(named));
    });

    afterAll(() => sut.onApplicationShutdown());

    it('the executions of one call are one transaction, and each has its own rows', async () => {
      const results = await sut.together<Added>(ADD, [[2], [3], [5]]);
      expect(results.map((rows) => rows.map(({ number, share }) => [number, share]))).toEqual([
        [[2, 50]],
        [[3, 33]],
        [[5, 20]],
      ]);
      expect(new Set(results.flat().map(({ transaction }) => transaction)).size).toBe(1);
    });

    it('a single execution returns its rows in a list of one', async () => {
      expect(await sut.together<Added>(ADD, [[4]])).toMatchObject([[{ number: 4, share: 25 }]]);
    });

    it('executions have no effect when one of them fails', async () => {
      for (const [fault, sets] of [
        ['division by zero', [[1], [0], [2]]],
        ['duplicate key', [[1], [2], [1]]],
      ] satisfies [string, number[][]][]) {
        await expect(sut.together(ADD, sets)).rejects.toThrow(fault);
        expect(await stored()).toEqual([]);
      }
      await sut.together(ADD, [[7], [8]]);
      expect(await stored()).toEqual([7, 8]);
    });

    it('executions run in order in the transaction of a client', async () => {
      const results = await sut.transaction(async (client) => {
        const [{ transaction } = { transaction: '' }] = await sut.query<Added>(ADD, [1], client);
        const added = (await sut.together<Added>(ADD, [[3], [2]], client)).flat();
        return added.map((row) => [row.number, row.transaction === transaction]);
      });
      expect(results).toEqual([
        [3, true],
        [2, true],
      ]);
      await expect(sut.transaction((client) => sut.together(ADD, [[4], [4]], client))).rejects.toThrow('duplicate key');
      expect(await stored()).toEqual([1, 2, 3]);
    });

    it('batches of executions run in parallel on several connections', async () => {
      await Promise.all([0, 1, 2, 3].map((ten) => sut.together(ADD, [[10 * ten + 1], [10 * ten + 2]])));
      expect(await stored()).toEqual([1, 2, 11, 12, 21, 22, 31, 32]);
    });
  });

  it('all executions fail when the connection breaks', async () => {
    const sut = new Database(dataSource, new Outage(), new PreparedStatements(true));
    const BREAK = statement(
      'spec-break',
      'SELECT CASE WHEN $1::boolean THEN pg_terminate_backend(pg_backend_pid()) END',
    );
    await expect(sut.together(BREAK, [[false], [true], [false]])).rejects.toThrow(/terminat/);
    await sut.together(ADD, [[1], [2]]);
    expect(await stored()).toEqual([1, 2]);
    sut.onApplicationShutdown();
  });
});
