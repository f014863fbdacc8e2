import { join } from 'node:path';
import { request } from 'undici';
import type { Bench, Contender } from '../bench.port';
import { closedLoop } from '../load';
import { startGatewayServer } from '../gateway-server';
import type { Stage } from '../stage';
import { compareAddedLatency, compareAnswers, type Detours } from './added-latency';
import { assertAllBilled } from './ai-database';
import { ANSWER, MESSAGE, MODEL, PROVIDER_KEY, providerRequest } from './exchange';

/** A live key: a test key would be answered by the sandbox. */
const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';

/** Long enough for the compiler to be done with each. */
const WARM_UP = { connections: 16, seconds: 3 };

/**
 * What `POST /ai/generate` adds to a call of the provider, beside what a bare Fastify proxy adds that checks a key, counts
 * two limits, writes an audit row, and has each answer on the bill, with its two events, before it goes out, by the
 * gateway's own statements. Beside them a proxy that keeps no bill.
 */
export const AI: Bench = {
  description: 'the latency that POST /ai/generate adds to a call of the provider, beside a bare Fastify proxy',
  async run(stage) {
    const provider = await stage.server('provider', join(__dirname, 'provider-server.js'), {});
    const gateway = await startGateway(stage, provider.origin);
    const proxy = await startBare(stage, 'proxy', provider.origin, false);
    const bare = await startBare(stage, 'bare', provider.origin, true);
    const direct = contender('direct', provider.origin, () => providerRequest(MESSAGE));
    const detours: Detours = { direct, proxy, bare, gateway };
    for (const one of [proxy, bare, gateway]) await assertAnswers(one);
    for (const one of Object.values(detours)) await closedLoop(one, WARM_UP.connections, WARM_UP.seconds);
    await compareAddedLatency(detours, { perSecond: 100, rounds: 9, secondsPerRound: 3, goal: 1.5 });
    await compareAnswers(detours, { connections: 32, rounds: 3, secondsPerRound: 2 });
    for (const one of [bare, gateway]) {
      await assertAnswers(one);
      await assertAllBilled(one.databaseUrl, one.asked(), one === bare ? 'bare_audit' : 'audit_log');
    }
    console.log('\nEvery answer of both is on the bill, with its two events and its audit entry');
  },
};

interface Detour extends Contender {
  databaseUrl: string;
  /** Requests made so far. */
  asked(): number;
}

async function startGateway(stage: Stage, providerUrl: string): Promise<Detour> {
  const databaseUrl = await stage.database('gateway_ai');
  const { origin } = await startGatewayServer(stage, 'gateway', databaseUrl, {
    BOOTSTRAP_API_KEY: API_KEY,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: providerUrl,
    AI_MODEL: MODEL,
  });
  return detour('gateway', origin, databaseUrl);
}

async function startBare(stage: Stage, name: string, providerUrl: string, keepsBill: boolean): Promise<Detour> {
  const databaseUrl = await stage.database(`${name}_ai`);
  const { origin } = await stage.server(name, join(__dirname, 'bare-server.js'), {
    DATABASE_URL: databaseUrl,
    BARE_API_KEY: API_KEY,
    PROVIDER_URL: providerUrl,
    KEEPS_BILL: String(keepsBill),
    ...stage.redis,
  });
  return detour(name, origin, databaseUrl);
}

function detour(name: string, origin: string, databaseUrl: string): Detour {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ message: MESSAGE });
  let asked = 0;
  const ask = () => {
    asked += 1;
    return { method: 'POST', path: '/api/v1/ai/generate', headers, body } as const;
  };
  return { ...contender(name, origin, ask), settled: () => Promise.resolve(), databaseUrl, asked: () => asked };
}

function contender(name: string, origin: string, ask: Contender['request']): Contender {
  return { name, origin, request: ask, settled: () => Promise.resolve() };
}

/** What is fast must also be right. */
async function assertAnswers(one: Contender): Promise<void> {
  const { path, ...options } = one.request();
  const { statusCode, body } = await request(`${one.origin}${path}`, options);
  const answer = (await body.json()) as { success: boolean; data?: { response: string; model: string } };
  const { response, model } = answer.data ?? {};
  if (statusCode === 200 && answer.success && response === ANSWER && model === MODEL) return;
  throw new Error(`${one.name} answered ${statusCode}: ${JSON.stringify(answer)}`);
}
