import type { Settings } from '../../../src/core/settings/settings';
import type { Components } from '../../../src/status/component-health.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import type { ApiAnswer } from '../../support/api';
import { eventually } from '../../support/eventually';
import { sharedPostgres } from '../../support/postgres';
import { GatewayProcess } from '../../support/process';
import { redisOnPath, startRedis, type TestRedis } from '../../support/redis';

/** A decision of one instance takes effect on the other within this time. */
const IN_FORCE = { timeoutMs: 1_000, everyMs: 10 };
const MOST_ROUNDS = 5;
const ROUNDS_MS = 120_000;
const WIDE = { requests_per_minute: 1_000_000, requests_per_hour: 1_000_000 };

interface CreatedKey {
  id: string;
  key: string;
}

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describeWithRedis('two instances on one PostgreSQL and one Redis', () => {
  let redis: TestRedis;
  let anthropic: AnthropicFake;
  let first: GatewayProcess;
  let second: GatewayProcess;
  /** Scope `*`, limits wide. */
  let admin: string;

  beforeAll(async () => {
    redis = (await startRedis())!;
    anthropic = await new AnthropicFake().start();
    const env = { DATABASE_URL: await (await sharedPostgres()).createDatabase(), REDIS_URL: redis.url };
    first = await GatewayProcess.start({ anthropic, env });
    second = await GatewayProcess.start({ anthropic, env, key: first.key });
    const wide = { name: 'admin', scopes: ['*'], rate_limit: WIDE };
    admin = (await first.api<CreatedKey>('POST', '/admin/api-keys', wide)).body.data.key;
  }, 90_000);

  afterAll(async () => {
    await Promise.all([first.kill(), second.kill()]);
    await Promise.all([anthropic.stop(), redis.stop()]);
  });

  const createKey = async (fields: object = {}): Promise<CreatedKey> => {
    const body = { name: 'made', scopes: ['*'], rate_limit: WIDE, ...fields };
    return (await first.api<CreatedKey>('POST', '/admin/api-keys', body, { key: admin })).body.data;
  };
  const change = (id: string, body: object) => first.api('PATCH', `/admin/api-keys/${id}`, body, { key: admin });
  const read = (instance: GatewayProcess, key: string) => instance.api('GET', '/integrations', undefined, { key });
  /** Makes this many calls at once, in turn to each instance. */
  const atOnce = <T>(count: number, call: (instance: GatewayProcess, index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => call(index % 2 === 0 ? first : second, index)));
  const remainingOf = ({ headers }: ApiAnswer) => Number(headers['x-ratelimit-remaining']);
  const withStatus = (answers: ApiAnswer[], status: number) => answers.filter((answer) => answer.status === status);

  /**
   * Checks what holds while both count in Redis. On a busy machine Redis may answer too late: the instance then counts
   * by itself and logs it. If it logged that during a failed round, another round follows.
   */
  async function withRedis(round: () => Promise<void>): Promise<void> {
    for (let rounds = 1; ; rounds += 1) {
      await eventually('both count in Redis', async () => {
        for (const instance of [first, second]) {
          const { body } = await instance.api<{ components: Components }>('GET', '/status', undefined, { key: admin });
          expect(body.data.components.cache).toBe('healthy');
        }
      });
      const said = [first, second].map(({ output }) => output.length);
      try {
        return await round();
      } catch (error) {
        const wasLate = [first, second].some(({ output }, index) =>
          output.slice(said[index]).includes('Redis does not answer'),
        );
        if (!wasLate || rounds === MOST_ROUNDS) throw error;
      }
    }
  }

  it(
    'allow exactly the limit of a key together, and count refused requests',
    () =>
      withRedis(async () => {
        const { id, key } = await createKey({ rate_limit: { requests_per_minute: 40, requests_per_hour: 1_000 } });
        // An instance refuses at most 60 of them: further ones would share an entry of the audit log.
        const answers = await atOnce(100, (instance) => read(instance, key));
        const passed = withStatus(answers, 200);
        const refused = withStatus(answers, 429);
        expect([passed.length, refused.length]).toEqual([40, 60]);
        // Each instance counts the requests of the other: no `remaining` appears twice.
        expect(passed.map(remainingOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
        for (const { headers, body } of refused) {
          expect(headers).toMatchObject({ 'x-ratelimit-limit': '40', 'x-ratelimit-remaining': '0' });
          expect(headers['retry-after']).toBe(String(body.error.details!['retry_after_seconds']));
        }

        // All 100 count in the hour, and those that ask until the new limit holds.
        await change(id, { rate_limit: { requests_per_minute: 1_000, requests_per_hour: 150 } });
        const left = await eventually(
          'the new limit holds on the other instance',
          async () => {
            const answer = await read(second, key);
            expect(answer.headers['x-ratelimit-limit']).toBe('150');
            return remainingOf(answer);
          },
          IN_FORCE,
        );
        expect(left).toBeLessThan(50);
        const more = await atOnce(50, (instance) => read(instance, key));
        expect(withStatus(more, 200)).toHaveLength(left);
        expect(withStatus(more, 429)).toHaveLength(50 - left);

        await eventually('the audit log has every request, of both, once', async () => {
          const total = async (filter = '') => {
            const path = `/admin/audit-log?key_id=${id}${filter}`;
            return (await second.api('GET', path, undefined, { key: admin })).body.meta.pagination.total;
          };
          expect(await total()).toBeGreaterThanOrEqual(121);
          expect(await total('&status=200')).toBe(41 + left);
        });
      }),
    ROUNDS_MS,
  );

  it(
    'share messages_per_minute, also after one of them changed it',
    () =>
      withRedis(async () => {
        const sandbox = { environment: 'test', scopes: ['*'] };
        const [probe, sender] = [await createKey(sandbox), await createKey(sandbox)];
        const send = (instance: GatewayProcess, key: string) =>
          instance.api('POST', '/messages/send', { platform: 'telegram', recipient: '1', message: 'x' }, { key });
        const patch = { rate_limits: { messages_per_minute: 7 } };
        expect((await first.api('PATCH', '/admin/settings', patch, { key: probe.key })).status).toBe(200);
        await eventually(
          'the limit is in force on the other instance',
          async () => {
            const answers = await Promise.all(Array.from({ length: 8 }, () => send(second, probe.key)));
            expect(withStatus(answers, 429)[0]?.body.error.details).toMatchObject({ limit: 7, window_seconds: 60 });
          },
          IN_FORCE,
        );
        const answers = await atOnce(40, (instance) => send(instance, sender.key));
        expect([withStatus(answers, 200).length, withStatus(answers, 429).length]).toEqual([7, 33]);
      }),
    ROUNDS_MS,
  );

  it('refuse a revoked key within a second', async () => {
    const { id, key } = await createKey();
    expect((await read(second, key)).status).toBe(200);
    await first.api('DELETE', `/admin/api-keys/${id}`, undefined, { key: admin });
    await eventually(
      'the other instance refuses it',
      async () => expect((await read(second, key)).body.error?.code).toBe('INVALID_API_KEY'),
      IN_FORCE,
    );
  });

  it.each([
    ['addresses', { allowed_ips: ['203.0.113.0/24'] }, 403, 'IP_NOT_ALLOWED'],
    ['expiry', { expires_at: '2001-01-01T00:00:00Z' }, 401, 'API_KEY_EXPIRED'],
  ])('apply a changed %s of a key within a second', async (_, body, status, code) => {
    const { id, key } = await createKey();
    expect((await read(second, key)).status).toBe(200);
    await change(id, body);
    await eventually(
      'the other instance refuses it',
      async () => expect(await read(second, key)).toMatchObject({ status, body: { error: { code } } }),
      IN_FORCE,
    );
  });

  it('show changed settings within a second, and lose none of many partial changes', async () => {
    const settings = async (instance: GatewayProcess) =>
      (await instance.api<Settings>('GET', '/admin/settings', undefined, { key: admin })).body.data;
    const patch = (instance: GatewayProcess, body: object) =>
      instance.api('PATCH', '/admin/settings', body, { key: admin });
    await patch(first, { ai: { max_tokens: 321 } });
    await eventually(
      'the other one shows it',
      async () => expect((await settings(second)).ai.max_tokens).toBe(321),
      IN_FORCE,
    );
    const answers = await atOnce(20, (instance, index) =>
      patch(instance, { ai: { prices: { [`model-${index}`]: { input: index, output: index } } } }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    for (const instance of [first, second]) {
      const { ai } = await settings(instance);
      expect(ai.max_tokens).toBe(321);
      expect(Object.keys(ai.prices)).toHaveLength(20);
    }
    // The setting is in use, not only shown: the gateway sends it to the model.
    await second.api('POST', '/ai/generate', { message: 'x' }, { key: admin });
    expect(anthropic.requests.at(-1)!.body.max_tokens).toBe(321);
  });

  it('make a simultaneous request wait for the first, and replay its answer', async () => {
    anthropic.hold();
    const asked = anthropic.requestsOf('messages').length;
    const headers = { 'idempotency-key': 'over two instances' };
    const ask = (instance: GatewayProcess) =>
      instance.api('POST', '/ai/generate', { message: 'once' }, { key: admin, headers });
    const original = ask(first);
    await anthropic.waitForInFlight(1);
    const twin = ask(second);
    anthropic.release();
    const answers = await Promise.all([original, twin]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1].body.data).toEqual(answers[0].body.data);
    expect(answers.map((answer) => answer.headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    expect(anthropic.requestsOf('messages')).toHaveLength(asked + 1);
  });
});
