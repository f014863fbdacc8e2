import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, Entity, PrimaryColumn } from 'typeorm';
import { eventually } from '../../../test/support/eventually';
import { sharedPostgres } from '../../../test/support/postgres';
import { TcpProxy } from '../../../test/support/tcp-proxy';
import { dataSourceOptions } from './data-source';
import { Database, statement } from './database.service';
import { DirectUrl } from './connections/direct-connection';
import { PreparedStatements } from './connections/prepared-statements';
import { ANNOUNCE, DatabaseListener } from './database-listener.service';
import { DatabaseUnavailableError, Outage } from './outage.service';

@Entity('deployment')
class DeploymentEntity {
  @PrimaryColumn('text') name!: string;
}

const LISTENERS = statement(
  'outage-listeners',
  `SELECT pid FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'messaging-gateway listener' ORDER BY pid`,
);
const PING = statement('outage-ping', 'SELECT 1 AS one');
const CUT_LISTENERS = statement(
  'outage-cut',
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'messaging-gateway listener'`,
);

describe(Outage.name, () => {
  let proxy: TcpProxy;
  let dataSource: DataSource;
  let sut: Outage;
  let database: Database;
  let listener: DatabaseListener;

  beforeAll(async () => {
    proxy = await new TcpProxy(await (await sharedPostgres()).createDatabase()).open();
    dataSource = await new DataSource({ ...dataSourceOptions(proxy.url), entities: [DeploymentEntity] }).initialize();
    sut = new Outage();
    database = new Database(dataSource, sut, new PreparedStatements(true));
    listener = new DatabaseListener(new DirectUrl(proxy.url), sut);
    await listener.onModuleInit();
  }, 60_000);

  afterAll(async () => {
    await listener.onApplicationShutdown();
    await dataSource.destroy();
    await proxy.cut();
  });

  const ping = () => database.query(PING, []);
  const count = () => dataSource.getRepository(DeploymentEntity).count();
  const countInTransaction = () => dataSource.transaction((manager) => manager.count(DeploymentEntity));

  it('does not begin when only the listening connection breaks', async () => {
    let began = false;
    sut.watch({ begins: () => (began = true) });
    const [lost] = await database.query<{ pid: number }>(LISTENERS, []);
    await database.query(CUT_LISTENERS, []);
    await eventually('another connection has taken its place', async () => {
      const listeners = await database.query<{ pid: number }>(LISTENERS, []);
      expect(listeners).toHaveLength(1);
      expect(listeners[0]).not.toEqual(lost);
    });
    await eventually('and is proven', () => expect(listener.isAliveWithin(400)).toBe(true));
    expect(began).toBe(false);
    expect(await ping()).toEqual([{ one: 1 }]);
  });

  it('calls the subscriber of a topic at each notification, and after a reconnect', async () => {
    const heard: (string | undefined)[] = [];
    listener.follow('notes', (payload) => heard.push(payload));
    await database.query(ANNOUNCE, ['others', '1']);
    await database.query(ANNOUNCE, ['notes', '2']);
    await eventually('the announcement is heard', () => expect(heard).toEqual(['2']));
    await database.query(CUT_LISTENERS, []);
    await eventually('it may have missed some', () => expect(heard).toEqual(['2', undefined]));
    await eventually('the listener is proven', () => expect(listener.isAliveWithin(400)).toBe(true));
  });

  it('rejects waiting statements when the database hangs, and new ones at once', async () => {
    await Promise.all([ping(), count(), countInTransaction()]);
    proxy.freeze();
    const startedAt = performance.now();
    const waiting = [ping(), count(), countInTransaction()].map((work) =>
      work.catch((error: unknown) => String(error)),
    );
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatch('Connection terminated');
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    expect(sut.present).toBe(true);
    const askedAt = performance.now();
    await expect(ping()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await expect(database.transaction(ping)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await expect(count()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await expect(countInTransaction()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(performance.now() - askedAt).toBeLessThan(2_000);

    await proxy.cut();
    await proxy.open();
    await eventually('it is over', () => expect(sut.present).toBe(false));
    expect(await ping()).toEqual([{ one: 1 }]);
    expect(await count()).toBe(0);
    expect(sut.recent).toBe(true);
    await sleep(2_000);
    expect(sut.recent).toBe(false);
  });
});
