import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryConfig, type QueryResult } from 'pg';
import { APPLICATION_NAME, SharedConnections, type SharedConnection } from '../../src/core/database/shared-connections';
import { eventually } from '../support/eventually';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { sharedPostgres } from '../support/postgres';

const ECHO = { name: 'echo', text: 'SELECT $1::integer AS number' };

describe(SharedConnections.name, () => {
  let url: string;
  let observer: Client;
  let sut: SharedConnections;

  beforeAll(async () => {
    url = await (await sharedPostgres()).createEmptyDatabase();
    observer = new Client(url);
    await observer.connect();
  });

  beforeEach(() => {
    sut = new SharedConnections({ connectionString: url });
  });

  afterEach(() => sut.end());

  afterAll(() => observer.end());

  const open = async () => {
    const { rows } = await observer.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [APPLICATION_NAME],
    );
    return rows[0]!.count;
  };

  const withRoom = () =>
    eventually('one has room', () => {
      const connection = sut.withRoom();
      expect(connection).toBeDefined();
      return connection!;
    });

  function ask(connection: SharedConnection, asked: QueryConfig): Promise<QueryResult<{ number: number }>> {
    return new Promise((resolve, reject) => {
      connection.ask<{ number: number }>(asked, (error, result) => (error ? reject(error) : resolve(result)));
    });
  }

  it('answer each of many at once, on few connections', async () => {
    const answers: Promise<number>[] = [];
    let refused = 0;
    for (let number = 0; number < 1_000; number++) {
      const connection = sut.withRoom();
      if (connection)
        answers.push(ask(connection, { ...ECHO, values: [number] }).then(({ rows }) => rows[0]!.number - number));
      else refused += 1;
      if (number % 50 === 0) await sleep(1);
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([0]));
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.length + refused).toBe(1_000);
    expect(await open()).toBeLessThanOrEqual(3);
    sut.end();
    await eventually('they are closed', async () => expect(await open()).toBe(0));
  });

  it('have room for so many, and no more', async () => {
    const connection = await withRoom();
    const answers = Array.from({ length: 16 }, (_, number) => ask(connection, { ...ECHO, values: [number] }));
    expect(connection.hasRoom(performance.now())).toBe(false);
    await Promise.all(answers);
    expect(connection.hasRoom(performance.now())).toBe(true);
  });

  it('fail the statement that is wrong, and none that goes with it', async () => {
    const connection = await withRoom();
    const texts = ['SELECT 1 AS number', 'SELECT 1 / 0', 'SELECT nothing', 'SELECT 2 AS number'];
    const results = await Promise.allSettled(texts.map((text) => ask(connection, { text })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect((await ask(connection, { ...ECHO, values: [3] })).rows).toEqual([{ number: 3 }]);
  });

  it('have no room behind a statement that takes long', async () => {
    const slow = await withRoom();
    const sleeping = ask(slow, { text: 'SELECT pg_sleep(1)::text, 1 AS number' });
    await sleep(100);
    expect(slow.hasRoom(performance.now())).toBe(false);
    const other = await withRoom();
    expect(other).not.toBe(slow);
    expect((await ask(other, { ...ECHO, values: [4] })).rows).toEqual([{ number: 4 }]);
    expect((await sleeping).rows).toMatchObject([{ number: 1 }]);
    expect(slow.hasRoom(performance.now())).toBe(true);
  });

  it.each([
    [
      'the server ends it',
      async () =>
        void (await observer.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`,
          [APPLICATION_NAME],
        )),
    ],
    ['it is cut', () => Promise.resolve(sut.cut())],
  ])('fail what is under way when %s, and are replaced', async (_, end) => {
    const connection = await withRoom();
    const answers = [1, 2].map(() => ask(connection, { text: 'SELECT pg_sleep(3)' }));
    await eventually('it works', async () => {
      const { rows } = await observer.query(
        `SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3)' AND state = 'active'`,
      );
      expect(rows).toHaveLength(1);
    });
    await end();
    for (const { status } of await Promise.allSettled(answers)) expect(status).toBe('rejected');
    const next = await withRoom();
    expect(next).not.toBe(connection);
    expect((await ask(next, { ...ECHO, values: [5] })).rows).toEqual([{ number: 5 }]);
  });

  it('are cut only where nothing was heard for so long', async () => {
    const connection = await withRoom();
    const working = ask(connection, { text: 'SELECT pg_sleep(0.1)::text, 1 AS number' });
    sut.cut(10_000);
    expect((await working).rows).toMatchObject([{ number: 1 }]);
    sut.cut();
    expect((await ask(connection, { ...ECHO, values: [6] })).rows).toEqual([{ number: 6 }]);
  });

  it('are not asked for where the database is away', async () => {
    sut = new SharedConnections({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
    for (let times = 0; times < 5; times++) {
      expect(sut.withRoom()).toBeUndefined();
      await sleep(10);
    }
  });
});

describe('lists of messages', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
    for (const text of ['one', 'two', 'three']) {
      await gateway.api(
        'POST',
        '/messages/send',
        { platform: 'telegram', recipient: '7', message: text },
        { key: gateway.testKey },
      );
    }
  });

  afterAll(() => gateway.stop());

  it('are answered while the connections that they share are ended, again and again', async () => {
    const endAll = () =>
      gateway.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${APPLICATION_NAME}'`,
      );
    let ended = 0;
    let ending: Promise<void> = Promise.resolve();
    const timer = setInterval(() => {
      ending = endAll().then(({ length }) => void (ended += length));
    }, 20);
    for (let round = 0; round < 20; round++) {
      const lists = Array.from({ length: 20 }, () =>
        gateway.api('GET', '/messages', undefined, { key: gateway.testKey }),
      );
      for (const { status, body } of await Promise.all(lists)) {
        expect(status).toBe(200);
        expect(body).toMatchObject({ data: [{}, {}, {}], meta: { pagination: { total: 3 } } });
      }
    }
    clearInterval(timer);
    await ending;
    expect(ended).toBeGreaterThan(0);
  });
});
