import { join } from 'node:path';
import { request } from 'undici';
import { startRedis } from '../../support/redis';
import type { Bench } from '../bench.port';
import type { Stage } from '../stage';
import { median } from '../statistics';

const WARM_UP = 2_000;
const ROUNDS = 5;
const PER_ROUND = 5_000;
/** The least ratio that is good. */
const GOAL = 0.35;

interface Deliverer {
  name: string;
  origin: string;
}

/** From committed event to recorded attempt, guard included, on both queue backends, beside a loop that only signs and posts. */
export const WEBHOOKS: Bench = {
  description: 'deliveries from committed event to recorded attempt, beside a bare undici loop that signs and posts',
  async run(stage) {
    const receiver = await stage.server('receiver', join(__dirname, 'receiver-server.js'), {});
    const environment = { RECEIVER: receiver.origin };
    const bare = await start(stage, 'bare', 'bare-server.js', environment);
    const redis = await startRedis();
    try {
      const gateways = [await startGateway(stage, 'postgresql', environment)];
      if (redis) gateways.push(await startGateway(stage, 'redis', { ...environment, REDIS_URL: redis.url }));
      await compare(bare, gateways);
    } finally {
      await redis?.stop();
    }
  },
};

async function compare(bare: Deliverer, gateways: readonly Deliverer[]): Promise<void> {
  for (const one of [bare, ...gateways]) await deliver(one, WARM_UP);
  const ratios = new Map<string, number[]>(gateways.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round++) {
    const bareRate = await deliver(bare, PER_ROUND);
    const line = [`bare ${Math.round(bareRate)}/s`];
    for (const gateway of gateways) {
      const rate = await deliver(gateway, PER_ROUND);
      ratios.get(gateway.name)!.push(rate / bareRate);
      line.push(`${gateway.name} ${Math.round(rate)}/s (${(rate / bareRate).toFixed(2)})`);
    }
    console.log(`  round ${round}: ${line.join(', ')}`);
  }
  for (const [name, values] of ratios) {
    const ratio = median(values);
    const verdict = ratio >= GOAL ? 'met' : 'MISSED';
    console.log(`  ${name}: median ratio ${ratio.toFixed(2)} (goal at least ${GOAL}: ${verdict})`);
  }
}

function startGateway(stage: Stage, name: string, environment: Record<string, string>): Promise<Deliverer> {
  return stage.database(`webhooks_${name}`).then((databaseUrl) =>
    start(stage, name, 'gateway-server.js', {
      ...environment,
      PORT: '0',
      LOG_LEVEL: 'warn',
      DATA_DIR: join(stage.directory, name),
      DATABASE_URL: databaseUrl,
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    }),
  );
}

async function start(
  stage: Stage,
  name: string,
  file: string,
  environment: Record<string, string>,
): Promise<Deliverer> {
  const { origin } = await stage.server(`webhooks-${name}`, join(__dirname, file), environment);
  return { name, origin };
}

/** @returns deliveries per second */
async function deliver({ name, origin }: Deliverer, count: number): Promise<number> {
  const startedAt = performance.now();
  const answer = await request(`${origin}/?count=${count}`, { method: 'POST', headersTimeout: 120_000 });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${name}: ${text}`);
  return (count * 1_000) / (performance.now() - startedAt);
}
