import { setTimeout as sleep } from 'node:timers/promises';
import { finishSchema } from '../../src/core/database/data-source';
import type { IntegrationDto } from '../../src/integrations/dto/integration.dto';
import { RouterFake } from '../fakes/router.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { residentMemory } from '../load/processes';
import { cpuTimeOf } from '../support/cpu-time';
import { eventually } from '../support/eventually';
import { machineSlowness } from '../support/machine-speed';
import { sharedPostgres } from '../support/postgres';
import { GatewayProcess } from '../support/process';

const QUIET = { info: () => undefined, warn: () => undefined };
/** The most that an environment may have, that of its variables included. */
const ACCOUNTS = 50;
/** By then the first runs of periodic jobs are over. */
const SETTLED_MS = 35_000;
const MEASURED_MS = 30_000;
/** Percent of one core of the machine where the goal was set. */
const MOST_PERCENT = 3;
const MOST_MB_MORE = 100;

describe('an idle gateway with 50 bots that poll Telegram', () => {
  const bots = Array.from({ length: ACCOUNTS }, (_, index) => new TelegramFake({ token: `${7_000 + index}:token` }));
  const router = new RouterFake(({ url }) => bots.find(({ token }) => url!.includes(token))!.url);

  beforeAll(async () => {
    await Promise.all([...bots.map((bot) => bot.start()), router.start()]);
  });
  afterAll(() => router.stop());

  it('uses little more of a core and of memory than with one', async () => {
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    const gateway = await GatewayProcess.start({
      env: { DATABASE_URL: databaseUrl, TELEGRAM_BOT_TOKEN: bots[0]!.token, TELEGRAM_API_ROOT: router.url },
    });
    await finishSchema(databaseUrl, QUIET);
    const one = await figuresOf(gateway);
    for (const { token } of bots.slice(1)) {
      const body = { platform: 'telegram', name: `Bot ${token}`, credentials: { bot_token: token } };
      expect((await gateway.api('POST', '/integrations', body)).status).toBe(201);
    }
    await eventually('all are connected', async () => {
      const { body } = await gateway.api<IntegrationDto[]>('GET', '/integrations');
      expect(body.data.filter(({ status }) => status === 'connected')).toHaveLength(ACCOUNTS);
    });
    const all = await figuresOf(gateway);
    process.stdout.write(`  idle with one bot: ${shown(one)}; with ${ACCOUNTS}: ${shown(all)}\n`);
    expect(all.percent).toBeLessThanOrEqual(MOST_PERCENT);
    expect(all.mb - one.mb).toBeLessThanOrEqual(MOST_MB_MORE);
    await gateway.kill();
  }, 300_000);
});

interface Figures {
  percent: number;
  mb: number;
}

/** The percentage of one core of the machine of the goal, and the memory at the end. */
async function figuresOf({ child }: GatewayProcess): Promise<Figures> {
  await sleep(SETTLED_MS);
  const before = cpuTimeOf([child.pid!]);
  const startedAt = performance.now();
  await sleep(MEASURED_MS);
  const used = (cpuTimeOf([child.pid!]) - before) / (performance.now() - startedAt);
  return { percent: (used * 100) / (await machineSlowness()), mb: residentMemory(child.pid!) };
}

const shown = ({ percent, mb }: Figures) => `${percent.toFixed(2)} % of a core, ${mb.toFixed(0)} MB`;
