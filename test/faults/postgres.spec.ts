import { setTimeout as sleep } from 'node:timers/promises';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import { expectedError } from '../support/expected';
import type { GatewayProcess } from '../support/process';
import { BreakablePostgres } from './breakable-postgres';
import { Deployment } from './deployment';
import { Traffic, type Answer } from './traffic';

/** Longer than every lease and every limit of a statement. */
const FREEZE_MS = 22_000;
/** A request that was under way when the database began to hang is answered within this. */
const UNDER_WAY_MS = 10_000;
/** Once it is known that the database is away. */
const AT_ONCE_MS = 1_500;

describe('under load, the gateway loses nothing while PostgreSQL is', () => {
  let postgres: BreakablePostgres;
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let deployment: Deployment;
  let instances: GatewayProcess[];
  /** The text of each inbound message: its chat is its number. */
  let written = 0;
  /** To the clients' sends, in all. */
  let answered = 0;

  beforeAll(async () => {
    postgres = await BreakablePostgres.start();
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    deployment = await Deployment.create({ environment: 'live', databaseUrl: postgres.url, telegram, anthropic });
    instances = [await deployment.startInstance(), await deployment.startInstance()];
    await deployment.register(instances[0]!);
    await connected();
  }, 90_000);

  afterAll(async () => {
    await deployment.stop();
    await postgres.stop();
  });

  const connected = () =>
    eventually(
      'both instances see Telegram connected',
      async () => {
        for (const instance of instances) {
          const { body } = await instance.api<Record<string, { telegram: string }>>('GET', '/status?summary=true');
          expect(body.data?.['integrations']?.telegram).toBe('connected');
        }
      },
      { timeoutMs: 40_000, everyMs: 100 },
    );

  const ready = (status: number, timeoutMs: number) =>
    eventually(
      `both instances answer ${status} when asked whether they are ready`,
      async () => {
        for (const instance of instances) expect((await instance.api('GET', '/health/ready')).status).toBe(status);
      },
      { timeoutMs },
    );

  const expectUnavailable = async () => {
    for (const instance of instances) {
      expect((await instance.api('GET', '/health/live')).status).toBe(200);
      for (const path of ['/messages', '/conversations']) {
        const startedAt = performance.now();
        const { status, body } = await instance.api('GET', path);
        expect({ status, body }).toEqual(expectedError('INTERNAL_ERROR', null));
        expect(performance.now() - startedAt).toBeLessThan(AT_ONCE_MS);
      }
      const startedAt = performance.now();
      const { status, body } = await instance.api<{ components: object }>('GET', '/status');
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ status: 'unhealthy', components: { database: 'unhealthy' } });
      expect(performance.now() - startedAt).toBeLessThan(AT_ONCE_MS);
    }
  };

  /** Sends of clients to chats from 1,000 on, and people who write from chats of their own and are answered. */
  const startTraffic = () => {
    const traffic = new Traffic(deployment, instances, 25, (index) => String(1_000 + (index % 20)));
    const people = setInterval(() => {
      written += 1;
      telegram.receiveText({ chatId: 100_000 + written, text: `question ${written}` });
    }, 200);
    return async () => {
      clearInterval(people);
      const answers = await traffic.stop();
      answered += answers.filter(({ status }) => status !== undefined).length;
      return answers;
    };
  };

  /** A change of a key on one instance is heard by the other: the listening connection is back. */
  const expectHeard = async () => {
    const [one, other] = instances as [GatewayProcess, GatewayProcess];
    const made = await one.api<{ id: string; key: string }>('POST', '/admin/api-keys', {
      name: 'to be revoked',
      scopes: ['read:messages'],
    });
    const { id, key } = made.body.data;
    expect((await other.api('GET', '/messages', undefined, { key })).status).toBe(200);
    await one.api('DELETE', `/admin/api-keys/${id}`);
    await eventually(
      'the other instance refuses the key',
      async () => expect((await other.api('GET', '/messages', undefined, { key })).status).toBe(401),
      { timeoutMs: 1_000 },
    );
  };

  /** Although no client knows whether a batch that was under way was stored. */
  const expectAudited = () =>
    eventually('every answer has its audit entry, once', async () => {
      const [row] = await deployment.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM audit_log WHERE path = '/api/v1/messages/send'`,
      );
      expect(row).toEqual({ count: answered });
    });

  const expectNothingTwice = async (answers: readonly Answer[]) => {
    await eventually(
      'every question is answered',
      () =>
        expect(telegram.sent.filter(({ chat_id }) => Number(chat_id) > 100_000).length).toBeGreaterThanOrEqual(written),
      { timeoutMs: 40_000 },
    );
    const texts = telegram.sent.map(({ chat_id, text }) => `${chat_id}: ${text}`);
    const doubles = texts.filter((text, index) => texts.indexOf(text) !== index);
    const ambiguous = await deployment.sql(`SELECT 1 FROM messages WHERE failure->>'code' = 'ambiguous'`);
    const statuses = Map.groupBy(answers, ({ status }) => status);
    const counts = [...statuses].map(([status, group]) => `${status} × ${group.length}`).join(', ');
    process.stdout.write(
      `    answers ${counts}; ${texts.length} sent to Telegram, ${doubles.length} twice, ${ambiguous.length} ambiguous\n`,
    );
    expect(doubles).toEqual([]);
  };

  it('stopped and started again', async () => {
    const stopTraffic = startTraffic();
    await deployment.receiver.received(60);
    await postgres.crash();
    await ready(503, 10_000);
    await expectUnavailable();
    await sleep(3_000);
    const startedAt = performance.now();
    await postgres.restart();
    await ready(200, 20_000);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    await sleep(2_000);
    const answers = await stopTraffic();
    const tally = (await deployment.allArrive({ timeoutMs: 60_000 })).print(
      `PostgreSQL crashed (ready ${seconds} s after its start)`,
    );
    await connected();
    await expectHeard();
    await expectNothingTwice(answers);
    expect(tally.most).toBe(1);
  }, 120_000);

  it('frozen for longer than any lease, and then continued', async () => {
    const before = deployment.receiver.posts.length;
    // A receiver that takes its time has attempts under way at any moment.
    deployment.receiver.react((_, response) => void setTimeout(() => response.end(), 500));
    const stopTraffic = startTraffic();
    await deployment.receiver.received(before + 60);
    await postgres.freeze();
    const frozenAt = performance.now();
    await ready(503, 10_000);
    await sleep(frozenAt + UNDER_WAY_MS - performance.now());
    await expectUnavailable();
    await sleep(frozenAt + FREEZE_MS - performance.now());
    await postgres.thaw();
    const thawedAt = performance.now();
    await ready(200, 20_000);
    const seconds = ((performance.now() - thawedAt) / 1_000).toFixed(1);
    await sleep(2_000);
    const answers = await stopTraffic();
    const tally = (await deployment.allArrive({ timeoutMs: 60_000 })).print(
      `PostgreSQL frozen for ${FREEZE_MS / 1_000} s (ready after ${seconds} s)`,
    );
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(UNDER_WAY_MS);
    await expectAudited();
    await connected();
    await expectHeard();
    await expectNothingTwice(answers);
    expect(tally.most).toBe(1);
  }, 150_000);

  it('read-only for a while, as a standby is', async () => {
    const before = deployment.receiver.posts.length;
    const stopTraffic = startTraffic();
    await deployment.receiver.received(before + 30);
    await postgres.refuseWrites(true);
    await eventually(
      'sends are refused, lists are not',
      async () => {
        for (const instance of instances) {
          // 400 once the lease of the connection could not be extended: its platform then counts as away.
          expect([400, 500]).toContain(await deployment.send(instance, '1', 'refused'));
          expect((await instance.api('GET', '/messages')).status).toBe(200);
        }
      },
      { timeoutMs: 30_000 },
    );
    await sleep(2_000);
    await postgres.refuseWrites(false);
    await sleep(1_000);
    const answers = await stopTraffic();
    const tally = (await deployment.allArrive({ timeoutMs: 60_000 })).print('PostgreSQL read-only');
    await connected();
    await expectHeard();
    await expectNothingTwice(answers);
    expect(tally.most).toBe(1);
  }, 90_000);
});
