import { setTimeout as sleep } from 'node:timers/promises';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { eventually } from '../support/eventually';
import { sharedPostgres } from '../support/postgres';
import { GatewayProcess } from '../support/process';
import { expectAtMost } from './figures';

/** US dollars a day. */
const BUDGET = 0.5;
/** Tokens that the provider bills for each call. */
const USED = 5_000;
const PRICE = 1;
const CALLS = 400;

interface Status {
  status: string;
  budget: { spent_today_usd: number };
}

/** Two instances under as many calls as they take; one is killed meanwhile. */
describe('an AI budget under attack', () => {
  let anthropic: AnthropicFake;
  let gateways: GatewayProcess[];

  beforeAll(async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    anthropic = await new AnthropicFake().start();
    const first = await GatewayProcess.start({ anthropic, env: { DATABASE_URL: databaseUrl } });
    const second = await GatewayProcess.start({ anthropic, env: { DATABASE_URL: databaseUrl }, key: first.key });
    gateways = [first, second];
  }, 120_000);

  afterAll(() => Promise.all(gateways.map((gateway) => gateway.kill())));

  it('is not exceeded by many calls on two instances, although one is killed in the middle', async () => {
    const prices = { input: PRICE, output: PRICE, cache_read: PRICE, cache_write: PRICE };
    const settings = {
      ai: { budget: { daily_usd: BUDGET, monthly_usd: null }, prices: { 'claude-sonnet-5-5': prices } },
    };
    const limits = { name: 'wide', scopes: ['*'], rate_limit: { requests_per_minute: 1e6, requests_per_hour: 1e6 } };
    const { key } = (await gateways[0]!.api<{ key: string }>('POST', '/admin/api-keys', limits)).body.data;
    expect((await gateways[0]!.api('PATCH', '/admin/settings', settings)).status).toBe(200);
    await eventually('the other instance knows', async () => {
      const { body } = await gateways[1]!.api<{ ai: { budget: object } }>('GET', '/admin/settings');
      expect(body.data.ai.budget).toEqual(settings.ai.budget);
    });
    await sleep(1_000);
    anthropic.delay(20);
    anthropic.replyWith(() => ({ text: 'x', usage: { input_tokens: 0, output_tokens: USED } }));
    // The gateway reserves a little over 6,000 tokens for each call; the call uses 5,000.
    const body = { message: 'x', options: { max_tokens: 6_000 } };
    const statuses: number[] = [];
    const asking = Array.from({ length: CALLS }, async (_, index) => {
      await sleep(index * 2);
      const answer = await gateways[index % 2]!.api('POST', '/ai/generate', body, { key }).catch(() => undefined);
      if (answer) statuses.push(answer.status);
    });
    await eventually('some are answered', () => expect(statuses.length).toBeGreaterThan(30), { everyMs: 1 });
    await gateways[1]!.kill();
    await Promise.all(asking);
    await eventually('the budget is used up', async () => {
      expect((await gateways[0]!.api('POST', '/ai/generate', body, { key })).status).toBe(429);
    });
    const billed = (anthropic.requestsOf('messages').length * USED * PRICE) / 1_000_000;
    expectAtMost({ name: 'what the provider billed of a budget of 0.50', value: billed, unit: 'USD', most: BUDGET });
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(30);

    gateways[1] = await gateways[1]!.restart();
    const spentNow = async (gateway: GatewayProcess) =>
      (await gateway.api<Status>('GET', '/ai/status', undefined, { key })).body.data.budget.spent_today_usd;
    // The reservations of the dead process count as spent within 50 seconds.
    await eventually(
      'all that the provider billed is spent',
      async () => {
        for (const gateway of gateways) expect(await spentNow(gateway)).toBeGreaterThanOrEqual(billed - 1e-9);
      },
      { timeoutMs: 60_000, everyMs: 1_000 },
    );
    expectAtMost({ name: 'what counts as spent', value: await spentNow(gateways[0]!), unit: 'USD', most: BUDGET });
  }, 180_000);
});
