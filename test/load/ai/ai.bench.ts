import { join } from 'node:path';
import { request } from 'undici';
import { compareAddedLatency } from '../added-latency';
import { apiContender, apiRequest } from '../api-request';
import type { Bench, Contender, MeasuredContender } from '../bench.port';
import { untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { compareThroughput, warmUp } from '../comparison';
import { compareCosts } from '../costs';
import { startGatewayServer } from '../gateway-server';
import type { Stage } from '../stage';
import { ALL_BILLED, ALL_BILLED_BARE } from './ai-database';
import { ANSWER, MESSAGE, MODEL, PROVIDER_KEY, providerRequest } from './exchange';

/** A live key: for a test key, the sandbox would answer. */
const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';

/**
 * The latency that `POST /ai/generate` adds to a call of the provider, compared with a bare Fastify proxy. The proxy checks a
 * key, counts two limits, writes an audit row, and bills each answer with its two events before it responds, with its own
 * tables and statements. A third contender is the proxy without a bill.
 */
export const AI: Bench = {
  description: 'the latency that POST /ai/generate adds to a call of the provider, beside a bare Fastify proxy',
  async run(stage) {
    const { origin } = await stage.server('provider', join(__dirname, 'provider-server.js'), {});
    const gateway = await startGateway(stage, origin);
    const bare = await startBare(stage, 'bare', origin, true);
    const proxy = await startBare(stage, 'proxy', origin, false);
    const direct: Contender = {
      name: 'direct',
      origin,
      request: () => providerRequest([{ role: 'user', content: MESSAGE }]),
      settled: () => Promise.resolve(),
    };
    for (const one of [gateway, bare, proxy]) await assertAnswers(one);
    await warmUp([direct, gateway, bare, proxy]);
    await compareAddedLatency(direct, [gateway, bare, proxy], {
      perSecond: 100,
      rounds: 7,
      secondsPerRound: 2.5,
      goals: { p50: 1.5, p99: 6 },
    });
    await compareThroughput([gateway, bare], { connections: 32, rounds: 3, secondsPerRound: 2 });
    await compareCosts([gateway, bare, proxy], stage.redis['REDIS_URL'], { connections: 32, seconds: 4 });
    for (const one of [gateway, bare]) {
      await assertAnswers(one);
      await untilTrue(one.databaseUrl, one === gateway ? ALL_BILLED : ALL_BILLED_BARE, [one.asked()]);
    }
    console.log('\nEvery answer of gateway and bare is on the bill, with its two events and its audit entry');
  },
};

async function startGateway(stage: Stage, providerUrl: string): Promise<MeasuredContender> {
  const databaseUrl = await stage.database('gateway_ai');
  const server = await startGatewayServer(stage, 'gateway', databaseUrl, {
    BOOTSTRAP_API_KEY: API_KEY,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: providerUrl,
    AI_MODEL: MODEL,
  });
  return asker('gateway', server, databaseUrl);
}

async function startBare(
  stage: Stage,
  name: string,
  providerUrl: string,
  keepsBill: boolean,
): Promise<MeasuredContender> {
  const databaseUrl = await stage.emptyDatabase(`${name}_ai`);
  const server = await stage.server(name, join(__dirname, 'bare-server.js'), {
    DATABASE_URL: databaseUrl,
    BARE_API_KEY: API_KEY,
    PROVIDER_URL: providerUrl,
    KEEPS_BILL: String(keepsBill),
    ...stage.redis,
  });
  return asker(name, server, databaseUrl);
}

function asker(name: string, server: ChildServer, databaseUrl: string): MeasuredContender {
  const ask = () => apiRequest(API_KEY, 'POST', '/ai/generate', { message: MESSAGE });
  return apiContender(name, server, databaseUrl, ask);
}

/** Checks that the answer is correct. */
async function assertAnswers(one: Contender): Promise<void> {
  const { path, ...options } = one.request();
  const { statusCode, body } = await request(`${one.origin}${path}`, options);
  const answer = (await body.json()) as { success: boolean; data?: { response: string; model: string } };
  const { response, model } = answer.data ?? {};
  if (statusCode === 200 && answer.success && response === ANSWER && model === MODEL) return;
  throw new Error(`${one.name} answered ${statusCode}: ${JSON.stringify(answer)}`);
}
