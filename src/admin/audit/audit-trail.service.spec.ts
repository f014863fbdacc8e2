import { Siblings } from '../../core/cluster/siblings.service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { newUuid } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { sharedPostgres } from '../../../test/support/postgres';
import { PreparedStatements } from '../../core/database/connections/prepared-statements';
import { dataSourceOptions } from '../../core/database/data-source';
import { Database } from '../../core/database/database.service';
import { Outage } from '../../core/database/outage.service';
import type { CredentialsCheck } from '../../core/http/credentials-check.port';
import { Metrics } from '../../core/observability/metrics.service';
import { Refusals } from '../../core/rate-limiting/refusals.service';
import { AuditTrail } from './audit-trail.service';

const CAPACITY = 50_000;

/** An audit trail on a fake database, which fails until `recover` is called. */
function makeSut() {
  const written: string[] = [];
  let broken = true;
  const query = (_: unknown, [json]: [string]) => {
    if (broken) return Promise.reject(new Error('the database is unavailable'));
    written.push(...(JSON.parse(json) as { path: string }[]).map(({ path }) => path));
    return Promise.resolve([]);
  };
  return { ...askedOn({ query } as unknown as Database), written, recover: () => void (broken = false) };
}

/** An audit trail on the given database; `ask` adds requests to it. */
function askedOn(database: Database) {
  const metrics = new Metrics(new Siblings());
  const clock = new Clock();
  const sut = new AuditTrail(database, clock, metrics, new Refusals(clock, new Siblings()), {} as CredentialsCheck);
  let asked = 0;
  const ask = (count: number, context: object = {}) => {
    const gateway = { id: newUuid(), startedAt: 0, clientIp: '127.0.0.1', ...context };
    for (let index = 0; index < count; index++) {
      const request = {
        gateway,
        method: 'GET',
        url: `/api/v1/${asked++}`,
        is404: false,
        routeOptions: { url: '/api/v1/x' },
      };
      sut.answered(request as unknown as FastifyRequest, { statusCode: 200 } as FastifyReply);
    }
  };
  const dropped = async () => {
    const text = await metrics.registry.getSingleMetricAsString('gateway_audit_entries_dropped_total');
    return Number(/^gateway_audit_entries_dropped_total (\d+)$/m.exec(text)![1]);
  };
  return { sut, ask, dropped };
}

describe(AuditTrail.name, () => {
  it('keeps entries in order while it cannot write them', async () => {
    const { sut, ask, dropped, written, recover } = makeSut();
    ask(2_500);
    await sut.beforeApplicationShutdown();
    ask(500);
    recover();
    await sut.beforeApplicationShutdown();
    expect(written).toEqual(Array.from({ length: 3_000 }, (_, index) => `/api/v1/${index}`));
    expect(await dropped()).toBe(0);
  });

  it('drops and counts the oldest entries when too many wait', async () => {
    const { sut, ask, dropped, written, recover } = makeSut();
    ask(CAPACITY + 10);
    // Entries that arrive during a failing write may drop entries of its batch: those must be counted.
    const flushed = sut.beforeApplicationShutdown();
    ask(20);
    await flushed;
    recover();
    await sut.beforeApplicationShutdown();
    const lost = await dropped();
    expect(lost).toBeGreaterThanOrEqual(30);
    expect(lost + written.length).toBe(CAPACITY + 30);
    expect(written).toEqual(Array.from({ length: written.length }, (_, index) => `/api/v1/${lost + index}`));
  });

  it('reuses the key of the refusal counter for a shared row, without hashing the credentials again', async () => {
    const rows: { api_key_id: string; count: number }[] = [];
    const query = (_: unknown, [json]: [string]) => {
      rows.push(...(JSON.parse(json) as typeof rows));
      return Promise.resolve([]);
    };
    // The fake `CredentialsCheck` has no methods: a look-up would throw.
    const { sut, ask } = askedOn({ query } as unknown as Database);
    const [keyId, credentials] = [newUuid(), { text: 'gw_live_x', masked: 'gw_live_…x', environment: 'live' }];
    ask(2, { credentials, sharedAuditRow: { caller: { keyId } } });
    await sut.beforeApplicationShutdown();
    expect(rows).toMatchObject([{ api_key_id: keyId, count: 2 }]);
  });

  it('stores an entry once if the connection breaks after storing it', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const dataSource = await new DataSource(dataSourceOptions(url)).initialize();
    const database = new Database(dataSource, new Outage(), new PreparedStatements(true));
    const stored = async () => (await dataSource.query<unknown[]>('SELECT 1 FROM audit_log')).length;
    let breaks = true;
    const { sut, ask } = askedOn({
      query: async (...call: Parameters<Database['query']>) => {
        const rows = await database.query(...call);
        if (breaks) throw new Error('the connection broke');
        return rows;
      },
    } as unknown as Database);
    try {
      ask(3);
      await sut.beforeApplicationShutdown();
      expect(await stored()).toBe(3);
      breaks = false;
      ask(2);
      await sut.beforeApplicationShutdown();
      expect(await stored()).toBe(5);
    } finally {
      await dataSource.destroy();
    }
  }, 60_000);
});
