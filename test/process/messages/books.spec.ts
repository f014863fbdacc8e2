import { setTimeout as sleep } from 'node:timers/promises';
import { fromPublicId } from '#contracts';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { eventually } from '../../support/eventually';
import { sharedPostgres, withClient } from '../../support/postgres';
import { GatewayProcess } from '../../support/process';

/**
 * In milliseconds, far longer than the second of audit log that a crash may lose, because a busy machine is slow. The
 * test shows that entries are stored while requests go on, not the exact limit.
 */
const LOST_MS = 5_000;
const WIDE = { requests_per_minute: 1_000_000, requests_per_hour: 1_000_000 };

/** The AI usage and the audit log on a separate PostgreSQL, after a kill and after a stop. */
describe('The bill and the audit log', () => {
  let databaseUrl: string;
  let anthropic: AnthropicFake;
  let gateway: GatewayProcess;
  /** Scope `*`, limits wide. */
  let key: string;

  beforeAll(async () => {
    databaseUrl = await (await sharedPostgres()).createDatabase();
    anthropic = await new AnthropicFake().start();
    gateway = await GatewayProcess.start({ anthropic, env: { DATABASE_URL: databaseUrl } });
    const body = { name: 'wide', scopes: ['*'], rate_limit: WIDE };
    key = (await gateway.api<{ key: string }>('POST', '/admin/api-keys', body)).body.data.key;
  }, 60_000);

  const logged = (requestIds: readonly string[]) =>
    withClient(databaseUrl, async (client) => {
      const ids = requestIds.map((requestId) => fromPublicId('request', requestId));
      const { rows } = await client.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM audit_log WHERE request_id = ANY ($1::uuid[])',
        [ids],
      );
      return rows[0]!.n;
    });

  /**
   * Sends the next request after each answer, until it is stopped or the process is gone.
   * @returns the ids of the answered requests, a list that grows
   */
  function ask() {
    const answered: string[] = [];
    const over = new AbortController();
    const client = async () => {
      while (!over.signal.aborted) {
        const answer = await gateway.api('GET', '/integrations', undefined, { key }).catch(() => undefined);
        if (!answer) return;
        answered.push(String(answer.headers['x-request-id']));
      }
    };
    const clients = Promise.all(Array.from({ length: 4 }, client));
    const stop = async () => {
      over.abort();
      await clients;
    };
    const moreThan = (count: number) =>
      eventually(`more than ${count} are answered`, () => expect(answered.length).toBeGreaterThan(count));
    return { answered, moreThan, stop };
  }

  it('include every answer that a client got, after a kill -9 in the middle of 200', async () => {
    anthropic.delay(50);
    let answered = 0;
    const asking = Array.from({ length: 200 }, async (_, index) => {
      await sleep(index * 10);
      const answer = await gateway.api('POST', '/ai/generate', { message: 'x' }, { key }).catch(() => undefined);
      if (answer?.status === 200) answered += 1;
    });
    await eventually('half of them are answered', () => expect(answered).toBeGreaterThan(100), { timeoutMs: 20_000 });
    await gateway.kill();
    await Promise.all(asking);
    anthropic.delay(0);
    gateway = await gateway.restart();

    interface Status {
      usage: Record<'today' | 'month', { requests: number; output_tokens: number }>;
    }
    const { usage } = (await gateway.api<Status>('GET', '/ai/status', undefined, { key })).body.data;
    const asked = anthropic.requestsOf('messages').length;
    expect(usage.today.requests).toBeGreaterThanOrEqual(answered);
    expect(usage.today.requests).toBeLessThanOrEqual(asked);
    expect(usage.month).toEqual(usage.today);
    await withClient(databaseUrl, async (client) => {
      const { rows } = await client.query(
        `SELECT count(*)::int AS requests, sum((body::json -> 'data' -> 'tokens' ->> 'output')::int)::int AS output_tokens
         FROM events WHERE type = 'ai.response'`,
      );
      expect(rows).toEqual([{ requests: usage.today.requests, output_tokens: usage.today.output_tokens }]);
    });
  }, 60_000);

  it('lose at most the last seconds of the audit log to a kill -9, with any number of requests in progress', async () => {
    const { answered, moreThan, stop } = ask();
    await moreThan(50);
    const owed = [...answered];
    await sleep(LOST_MS);
    await gateway.kill();
    await stop();
    expect(await logged(owed)).toBe(owed.length);
    gateway = await gateway.restart();
  }, 60_000);

  it('include every request that was answered before a SIGTERM took effect', async () => {
    const { answered, moreThan, stop } = ask();
    await moreThan(10);
    gateway.child.kill('SIGTERM');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    await stop();
    expect(await logged(answered)).toBe(answered.length);
  }, 60_000);
});
