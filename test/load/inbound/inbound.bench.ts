import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compareAddedLatency } from '../added-latency';
import { callGateway } from '../api-request';
import type { Bench, Contender, MeasuredContender } from '../bench.port';
import { untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { compareThroughput, inTurn, warmUp } from '../comparison';
import { compareCosts } from '../costs';
import { printVerdict } from '../goals';
import { MODEL, PROVIDER_KEY } from '../ai/exchange';
import { startGatewayServer } from '../gateway-server';
import { burst } from '../load';
import type { Stage } from '../stage';
import { median } from '../statistics';
import { BOT_TOKEN, CALLBACK_PATH, WEBHOOK_SECRET } from './conversation';
import { ALL_ANSWERED, ALL_ANSWERED_BARE, IDLE, IDLE_BARE } from './inbound-database';

const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
/** People who write in turn, so that each has an answer before writing again. */
const PEOPLE = 1_000;
/** Conversations that get a message at the same moment. */
const AT_ONCE = { conversations: 500, rounds: 3, goalSeconds: 6 };

/**
 * The time from a Telegram webhook call until a fake Telegram accepts the answer of a fake AI, compared with a bare Fastify
 * server that gives the same guarantees with its own tables and statements.
 */
export const INBOUND: Bench = {
  description: 'from an inbound message to the answer that its platform accepted, beside a bare server; 500 at once',
  async run(stage) {
    const provider = await stage.server('provider', join(__dirname, '../ai/provider-server.js'), {});
    const gateway = await startGateway(stage, provider.origin);
    const bare = await startBare(stage, provider.origin);
    const pair = [gateway, bare] as const;
    const people = await startPeople(stage, 'direct', provider.origin);
    const direct: Contender = { ...conversations('direct', people), settled: () => Promise.resolve() };
    await warmUp([direct, ...pair]);
    await compareAddedLatency(direct, pair, { perSecond: 50, rounds: 5, secondsPerRound: 3, goals: { p50: 6 } });
    await compareBursts(pair);
    await compareThroughput(pair, { connections: 32, rounds: 4, secondsPerRound: 2 });
    await compareCosts(pair, stage.redis['REDIS_URL'], { connections: 32, seconds: 4 });
    for (const one of pair) await untilTrue(one.databaseUrl, one.stored, [one.asked()]);
    console.log(
      '\nEvery message is answered once, and stored with its answer, the bill and all events, in both databases',
    );
  },
};

interface Answerer extends MeasuredContender {
  /** SQL: whether all $1 messages are answered and stored. */
  stored: string;
}

async function compareBursts(pair: readonly Answerer[]): Promise<void> {
  const { conversations: count, rounds, goalSeconds } = AT_ONCE;
  const seconds: number[][] = pair.map(() => []);
  console.log(`\n${count} conversations at once, ${rounds} rounds`);
  for (let round = 1; round <= rounds; round++) {
    const measured = await inTurn(pair, round, (one) => burst(one, count));
    for (const [index, ms] of measured.entries()) seconds[index]!.push(ms / 1_000);
  }
  for (const [index, { name }] of pair.entries()) {
    console.log(`  ${name.padEnd(8)} all answered after ${seconds[index]!.map((one) => one.toFixed(2)).join(', ')} s`);
  }
  printVerdict('median of the gateway', median(seconds[0]!), { limit: goalSeconds, unit: 's' });
}

async function startGateway(stage: Stage, providerUrl: string): Promise<Answerer> {
  const databaseUrl = await stage.database('gateway_inbound');
  const people = await startPeople(stage, 'people-gateway', providerUrl);
  const server = await startGatewayServer(stage, 'gateway', databaseUrl, {
    BOOTSTRAP_API_KEY: API_KEY,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: providerUrl,
    AI_MODEL: MODEL,
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_API_ROOT: people.origin,
    // The gateway's port is not known yet. Each `/converse` request names the real callback URL.
    TELEGRAM_WEBHOOK_URL: `https://127.0.0.1:9${CALLBACK_PATH}`,
    TELEGRAM_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  await untilConnected(server.origin);
  return answerer('gateway', people, server, databaseUrl, IDLE, ALL_ANSWERED);
}

async function startBare(stage: Stage, providerUrl: string): Promise<Answerer> {
  const databaseUrl = await stage.emptyDatabase('bare_inbound');
  const people = await startPeople(stage, 'people-bare', providerUrl);
  const server = await stage.server('bare', join(__dirname, 'bare-server.js'), {
    DATABASE_URL: databaseUrl,
    PROVIDER_URL: providerUrl,
    TELEGRAM_URL: people.origin,
  });
  return answerer('bare', people, server, databaseUrl, IDLE_BARE, ALL_ANSWERED_BARE);
}

function startPeople(stage: Stage, name: string, providerUrl: string): Promise<ChildServer> {
  return stage.server(name, join(__dirname, 'people-server.js'), { PROVIDER_URL: providerUrl });
}

async function untilConnected(origin: string): Promise<void> {
  for (;;) {
    const integrations = await callGateway<{ platform: string; status: string }[]>(
      origin,
      API_KEY,
      'GET',
      '/integrations',
    );
    if (integrations.some(({ platform, status }) => platform === 'telegram' && status === 'connected')) return;
    await sleep(200);
  }
}

function answerer(
  name: string,
  people: ChildServer,
  { origin, pid }: ChildServer,
  databaseUrl: string,
  idle: string,
  stored: string,
): Answerer {
  const settled = () => untilTrue(databaseUrl, idle, []);
  return { ...conversations(name, people, `${origin}${CALLBACK_PATH}`), pid, databaseUrl, stored, settled };
}

/** Each request is one message and its answer. @param callback without it, the fakes exchange both without a server */
function conversations(name: string, people: ChildServer, callback?: string) {
  let asked = 0;
  const query = callback === undefined ? '' : `&callback=${encodeURIComponent(callback)}`;
  return {
    name,
    origin: people.origin,
    asked: () => asked,
    request: () => {
      asked += 1;
      return { method: 'POST' as const, path: `/converse?chat=${1_000 + (asked % PEOPLE)}${query}` };
    },
  };
}
