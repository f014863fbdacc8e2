import { Test } from '@nestjs/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { eventually } from '../../../../test/support/eventually';
import { sharedPostgres } from '../../../../test/support/postgres';
import { ClockModule } from '../../clock/clock.module';
import { ConfigModule } from '../../config/config.module';
import { loadConfiguration } from '../../config/load-configuration';
import { Database } from '../../database/database.service';
import { DatabaseModule } from '../../database/database.module';
import { ObservabilityModule } from '../../observability/observability.module';
import { DueWork } from './due-work.service';
import type { DueRow } from './due-rows';
import { JobsModule } from './jobs.module';
import type { WorkKind } from './work-kind';

const PIECES = `CREATE TYPE environment AS ENUM ('live', 'test');
  CREATE TABLE pieces
  (id uuid PRIMARY KEY, environment environment DEFAULT 'live', next_at timestamptz, lease_until timestamptz, fence integer, attempts integer,
  faults integer DEFAULT 0, faulted_at timestamptz)`;

interface Piece extends DueRow {
  id: string;
}

describe(DueWork.name, () => {
  let dataSource: DataSource;
  let sut: DueWork;
  let close: () => Promise<void>;
  let start: () => Promise<unknown>;
  let runs: string[];
  let run: () => Promise<void>;

  const kind: WorkKind<Piece> = {
    name: 'dispatch',
    due: { table: 'pieces', key: 'id', environment: 'environment', columns: 'id', leaseSeconds: 15 },
    concurrency: 1,
    keyOf: ({ id }) => id,
    run: async ({ id }) => {
      runs.push(id);
      await run();
      await dataSource.query('UPDATE pieces SET next_at = NULL, lease_until = NULL WHERE id = $1', [id]);
    },
  };
  const addPiece = () =>
    dataSource.query(
      `INSERT INTO pieces (id, next_at, lease_until, fence, attempts) VALUES (gen_random_uuid(), now(), NULL, 0, 0)`,
    );

  beforeEach(async () => {
    const url = await (await sharedPostgres()).createEmptyDatabase();
    const module = await Test.createTestingModule({
      imports: [
        ConfigModule.forRoot(loadConfiguration({})),
        ClockModule,
        ObservabilityModule,
        DatabaseModule.forRoot(url),
        JobsModule,
      ],
    }).compile();
    dataSource = module.get(DataSource);
    sut = module.get(DueWork);
    runs = [];
    run = () => Promise.resolve();
    start = () => module.init();
    let closed: Promise<void> | undefined;
    close = () => (closed ??= module.close());
  }, 60_000);

  afterEach(() => close());

  it('keeps for the start what is signalled while modules initialise', async () => {
    await dataSource.query(PIECES);
    await addPiece();
    sut.register(kind);
    sut.signal('dispatch');
    await sleep(50);
    expect(runs).toHaveLength(0);
    await start();
    await eventually('it is done', () => expect(runs).toHaveLength(1));
  });

  it('claims once for a thousand signals', async () => {
    await dataSource.query(PIECES);
    sut.register(kind);
    await start();
    const query = jest.spyOn(Database.prototype, 'query');
    for (let count = 0; count < 1_000; count++) sut.signal('dispatch');
    await addPiece();
    await eventually('it is done', () => expect(runs).toHaveLength(1));
    // Beside the sweep of each second and the job, which says it once more.
    const claims = query.mock.calls.filter(([{ name }]) => name === 'pieces-claim');
    expect(claims.length).toBeLessThan(10);
    query.mockRestore();
  });

  it('goes on after a claim failed', async () => {
    sut.register(kind);
    await start();
    sut.signal('dispatch');
    await sleep(50);
    await dataSource.query(PIECES);
    await addPiece();
    sut.signal('dispatch');
    await eventually('it is done', () => expect(runs).toHaveLength(1));
  });

  it('never throws for a kind that is not registered', async () => {
    await start();
    expect(() => sut.signal('unheard-of')).not.toThrow();
  });

  it('refuses a kind registered twice, or with a name that a job id cannot be', () => {
    sut.register(kind);
    expect(() => sut.register(kind)).toThrow(RangeError);
    expect(() => sut.register({ ...kind, name: 'a:b' })).toThrow(RangeError);
    expect(() => sut.register({ ...kind, name: '42' })).toThrow(RangeError);
  });

  it('waits for the running work when the application stops, and starts no other', async () => {
    await dataSource.query(PIECES);
    await Promise.all([addPiece(), addPiece()]);
    const gate = Promise.withResolvers<void>();
    run = () => gate.promise;
    sut.register(kind);
    await start();
    await eventually('it runs', () => expect(runs).toHaveLength(1));
    let closed = false;
    const closing = close().then(() => (closed = true));
    sut.signal('dispatch');
    await sleep(20);
    expect(closed).toBe(false);
    gate.resolve();
    await closing;
    expect(runs).toHaveLength(1);
  });
});
