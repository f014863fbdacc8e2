import { setImmediate } from 'node:timers/promises';
import type { Environment } from '#contracts';
import { Worker } from './worker';
import type { DueRow } from './due-rows';

interface Piece extends DueRow {
  id: string;
}

describe(Worker.name, () => {
  const piece = (id: string, environment: Environment = 'live'): Piece => ({
    id,
    environment,
    fence: 1,
    attempts: 1,
    faults: 0,
  });

  /** The free places for live and test work at each claim. */
  let asked: number[][];
  beforeEach(() => (asked = []));

  /** A worker with two places for each environment. @param due what each claim finds */
  function makeSut(...due: (Piece[] | Error)[]) {
    const runs: { id: string; end: () => void }[] = [];
    let claims = 0;
    const query = (_: unknown, [live, test]: number[]) => {
      asked.push([live!, test!]);
      const found = due[claims++] ?? [];
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    };
    const kind = {
      name: 'pieces',
      due: { table: 'pieces', key: 'id', environment: 'environment', columns: 'id', leaseSeconds: 15 },
      concurrency: 2,
      keyOf: ({ id }: Piece) => id,
      run: ({ id }: Piece) => new Promise<void>((end) => void runs.push({ id, end })),
    };
    const outage = { recent: false, watch: () => undefined };
    const silent = { debug: () => undefined, warn: () => undefined };
    const sut = new Worker(
      kind,
      { query } as never,
      outage as never,
      { now: () => Date.now() } as never,
      silent as never,
    );
    const settle = async () => {
      for (let turns = 0; turns < 10; turns++) await setImmediate();
    };
    return { sut, runs, settle, claims: () => claims };
  }

  it('looks again after a piece of work when all places were taken', async () => {
    const { sut, runs, settle, claims } = makeSut([piece('a'), piece('b')], [piece('c')]);
    sut.poll();
    await settle();
    expect([runs.map(({ id }) => id), claims()]).toEqual([['a', 'b'], 1]);
    runs[0]!.end();
    await settle();
    expect([runs.map(({ id }) => id), claims()]).toEqual([['a', 'b', 'c'], 2]);
  });

  it('looks again for live work while test work takes all its places', async () => {
    const { sut, runs, settle, claims } = makeSut([piece('a', 'test'), piece('b', 'test')], [piece('c')]);
    sut.poll();
    await settle();
    sut.poll();
    await settle();
    expect([runs.map(({ id }) => id), claims()]).toEqual([['a', 'b', 'c'], 2]);
    expect(asked).toEqual([
      [2, 2],
      [2, 0],
    ]);
  });

  it('does not look again when its last look left nothing', async () => {
    const { sut, runs, settle, claims } = makeSut([piece('a')]);
    sut.poll();
    await settle();
    runs[0]!.end();
    await settle();
    expect([runs.length, claims()]).toEqual([1, 1]);
  });

  it('looks again when its last look failed', async () => {
    const { sut, runs, settle, claims } = makeSut([piece('a')], new Error('the database is away'), [piece('b')]);
    sut.poll();
    await settle();
    sut.poll();
    await settle();
    expect(claims()).toBe(2);
    runs[0]!.end();
    await settle();
    expect([runs.map(({ id }) => id), claims()]).toEqual([['a', 'b'], 3]);
  });
});
