import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { redisOnPath, startRedis, type TestRedis } from '../../support/redis';

const PER_SECOND = 40;
/** Messages that a number may send at once at this pace. */
const BURST = 2;
const MESSAGES = 100;
const CONNECTIONS = 32;
/** The start of two gateways and the sends, on a busy machine, in milliseconds. */
const TIMEOUT_MS = 90_000;

describe('the pace of WhatsApp', () => {
  let whatsapp: WhatsAppFake;
  let redis: TestRedis | undefined;
  const gateways: TestGateway[] = [];

  beforeAll(async () => {
    redis = redisOnPath() ? await startRedis() : undefined;
  });
  beforeEach(async () => {
    whatsapp = await new WhatsAppFake().start();
  });
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.stop();
    await whatsapp.stop();
  });
  afterAll(() => redis?.stop());

  const start = async (perSecond: number, env: NodeJS.ProcessEnv = {}) => {
    const databaseUrl = gateways[0]?.databaseUrl;
    const variables = { ...whatsapp.env, WHATSAPP_MESSAGES_PER_SECOND: String(perSecond), ...env };
    const gateway = await startTestGateway({ databaseUrl, env: variables });
    gateways.push(gateway);
    await gateway.connected('whatsapp');
    await gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute: 100_000 } });
  };

  /** Sends to another person each, on connections shared by all gateways. @returns milliseconds until the last arrived */
  const sendAll = async (count: number): Promise<number> => {
    const startedAt = Date.now();
    let next = 0;
    const client = async () => {
      for (let index = (next += 1); index <= count; index = next += 1) {
        const recipient = String(491_700_000_000 + index);
        const sender = gateways[index % gateways.length]!;
        const { body } = await sender.api('POST', '/messages/send', { platform: 'whatsapp', recipient, message: 'Hi' });
        expect(body.data).toMatchObject({ status: 'sent' });
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    const arrived = whatsapp.requestsOf('messages').map(({ receivedAt }) => receivedAt.getTime());
    expect(arrived).toHaveLength(count);
    const ms = Math.max(...arrived) - startedAt;
    process.stdout.write(`  ${count} sends in ${ms} ms: ${Math.round((count / ms) * 1_000)} a second\n`);
    return ms;
  };
  const LEAST_MS = ((MESSAGES - BURST) / PER_SECOND) * 1_000;

  it(
    'makes a send wait for its turn, not for a whole second',
    async () => {
      await start(80);
      // A burst of four, then one each 12.5 ms.
      expect(await sendAll(10)).toBeLessThan(1_000);
    },
    TIMEOUT_MS,
  );

  it(
    'limits a process to the configured messages a second',
    async () => {
      await start(PER_SECOND);
      const ms = await sendAll(MESSAGES);
      expect(ms).toBeGreaterThanOrEqual(LEAST_MS - 1_000 / PER_SECOND);
      expect(ms).toBeLessThan(4 * LEAST_MS);
    },
    TIMEOUT_MS,
  );

  (redisOnPath() ? it : it.skip)(
    'keeps two processes together to the configured messages a second',
    async () => {
      for (let count = 0; count < 2; count += 1) await start(PER_SECOND, { REDIS_URL: redis!.url });
      const ms = await sendAll(MESSAGES);
      expect(ms).toBeGreaterThanOrEqual(LEAST_MS - 1_000 / PER_SECOND);
      expect(ms).toBeLessThan(4 * LEAST_MS);
    },
    TIMEOUT_MS,
  );
});
