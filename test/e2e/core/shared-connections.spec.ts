import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Database, statement } from '../../../src/core/database/database.service';
import { APPLICATION_NAME, SharedConnections } from '../../../src/core/database/connections/shared-connections';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { sharedPostgres } from '../../support/postgres';

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
    sut = new SharedConnections({ connectionString: url }, 3);
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

  it('answer each of many at once, on few connections', async () => {
    await withRoom();
    const answers: Promise<number>[] = [];
    let refused = 0;
    for (let number = 0; number < 1_000; number++) {
      const connection = sut.withRoom();
      if (connection)
        answers.push(
          connection
            .ask<{ number: number }>({ ...ECHO, values: [number] })
            .then(({ rows }) => rows[0]!.number - number),
        );
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
    const answers = Array.from({ length: 16 }, (_, number) =>
      connection.ask<{ number: number }>({ ...ECHO, values: [number] }),
    );
    expect(connection.hasRoom(performance.now())).toBe(false);
    await Promise.all(answers);
    expect(connection.hasRoom(performance.now())).toBe(true);
  });

  it('fail the statement that is wrong, and none that goes with it', async () => {
    const connection = await withRoom();
    const texts = ['SELECT 1 AS number', 'SELECT 1 / 0', 'SELECT 2 AS number'];
    const results = await Promise.allSettled(texts.map((text) => connection.ask<{ number: number }>({ text })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await connection.ask<{ number: number }>({ ...ECHO, values: [3] })).rows).toEqual([{ number: 3 }]);
  });

  it('have no room behind a statement that takes long', async () => {
    const slow = await withRoom();
    const sleeping = slow.ask<{ number: number }>({ text: 'SELECT pg_sleep(1)::text, 1 AS number' });
    await eventually('it is slow', () => expect(slow.hasRoom(performance.now())).toBe(false));
    const other = await withRoom();
    expect(other).not.toBe(slow);
    expect((await other.ask<{ number: number }>({ ...ECHO, values: [4] })).rows).toEqual([{ number: 4 }]);
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
    const answers = [1, 2].map(() => connection.ask<{ number: number }>({ text: 'SELECT pg_sleep(3)' }));
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
    expect((await next.ask<{ number: number }>({ ...ECHO, values: [5] })).rows).toEqual([{ number: 5 }]);
  });

  it('are cut where the answer is late, and all of them where no caller asks how late', async () => {
    const connection = await withRoom();
    const working = connection.ask<{ number: number }>({ text: 'SELECT pg_sleep(0.1)::text, 1 AS number' });
    sut.cut(10_000);
    expect((await working).rows).toMatchObject([{ number: 1 }]);
    sut.cut(0.001);
    expect((await connection.ask<{ number: number }>({ ...ECHO, values: [6] })).rows).toEqual([{ number: 6 }]);
    sut.cut();
    await expect(connection.ask<{ number: number }>({ ...ECHO, values: [7] })).rejects.toThrow(
      /terminated|not queryable|closed/,
    );
    expect(await withRoom()).not.toBe(connection);
  });

  it('are given up where what is prepared no longer holds', async () => {
    await observer.query('CREATE TABLE things (number integer); INSERT INTO things VALUES (1)');
    const things = { name: 'things', text: 'SELECT number FROM things' };
    const connection = await withRoom();
    expect((await connection.ask<{ number: number }>(things)).rows).toEqual([{ number: 1 }]);
    await observer.query('ALTER TABLE things ALTER COLUMN number TYPE text');
    await expect(connection.ask<{ number: number }>(things)).rejects.toThrow(/cached plan/);
    const next = await withRoom();
    expect(next).not.toBe(connection);
    expect((await next.ask<{ number: number }>(things)).rows).toEqual([{ number: '1' }]);
  });

  it('are not kept where they are lost as they open', async () => {
    const prototype: { connect(): Promise<Client> } = Client.prototype;
    const connecting = jest.spyOn(prototype, 'connect').mockImplementationOnce(function (this: Client) {
      return connectedAndLost(this);
    });
    expect(sut.withRoom()).toBeUndefined();
    await (connecting.mock.results[0]!.value as Promise<Client>);
    const connection = await withRoom();
    expect((await connection.ask<{ number: number }>({ ...ECHO, values: [9] })).rows).toEqual([{ number: 9 }]);
  });

  it('stay where only a value was wrong', async () => {
    const connection = await withRoom();
    await expect(connection.ask<{ number: number }>({ text: 'SELECT 1 / 0' })).rejects.toThrow(/division by zero/);
    expect(await withRoom()).toBe(connection);
  });

  it.each([
    ['is away', 'postgres://unknown@127.0.0.1:1/nothing'],
    ['has a certificate that cannot be read', 'postgres://unknown@127.0.0.1:1/nothing?sslrootcert=/nowhere.pem'],
  ])('wait for the database where it %s', async (_, connectionString) => {
    const options = { connectionString };
    sut = new SharedConnections(options, 3);
    expect(sut.withRoom()).toBeUndefined();
    options.connectionString = url;
    await withRoom();
  });
});

async function connectedAndLost(client: Client): Promise<Client> {
  await client.connect();
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  client.connection.stream.destroy();
  await ended;
  return client;
}

describe('lists of messages', () => {
  /** The gateway's. */
  const SHARED = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${APPLICATION_NAME}'`;
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

  it('are answered while the connections that they share are ended, again and again', async () => {
    const endAll = () => gateway.sql(SHARED.replace('pid', 'pg_terminate_backend(pid)'));
    const endings: Promise<unknown[]>[] = [];
    const timer = setInterval(() => endings.push(endAll()), 20);
    try {
      for (let round = 0; round < 20; round++) {
        const lists = Array.from({ length: 20 }, () =>
          gateway.api('GET', '/messages', undefined, { key: gateway.testKey }),
        );
        for (const { status, body } of await Promise.all(lists)) {
          expect(status).toBe(200);
          expect(body).toMatchObject({ data: [{}, {}, {}], meta: { pagination: { total: 3 } } });
        }
      }
    } finally {
      clearInterval(timer);
    }
    expect((await Promise.all(endings)).flat().length).toBeGreaterThan(0);
  });

  it('that a lock holds up keep no other read waiting for long', async () => {
    const list = () => gateway.api('GET', '/messages');
    const open = async () => {
      await Promise.all(Array.from({ length: 10 }, list));
      expect(await gateway.sql(SHARED)).toHaveLength(3);
    };
    await eventually('all that are shared are open', open, { timeoutMs: 20_000 });
    const blocker = new Client(gateway.databaseUrl);
    await blocker.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
      const lists = Array.from({ length: 12 }, list);
      await eventually('they wait for the lock', async () => {
        expect(await gateway.sql(`${SHARED} AND wait_event_type = 'Lock'`)).toHaveLength(3);
      });
      const read = await gateway.app.get(Database).read<{ number: number }>(statement(ECHO.name, ECHO.text), [8]);
      expect(read).toEqual([{ number: 8 }]);
      await blocker.query('COMMIT');
      for (const { status } of await Promise.all(lists)) expect(status).toBe(200);
    } finally {
      await blocker.end();
    }
  });
});
