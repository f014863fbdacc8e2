import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { generateKey } from '../../../src/api-keys/key-format';
import { apiContender, apiRequest, callGateway } from '../api-request';
import type { Bench, MeasuredContender } from '../bench.port';
import { liftLimits, untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { compareLatency, compareThroughput, warmUp } from '../comparison';
import { compareCosts } from '../costs';
import { withClient, type Stage } from '../stage';
import { buildFormer } from '../former-build';
import { startGatewayServer } from '../gateway-server';
import { closedLoop } from '../load';
import { ALL_STORED, ALL_STORED_BARE, tasksDone } from './send-database';

export const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
const BOT_TOKEN = '4711:bench';
/** A real key makes at most some hundred requests a minute, so load comes from many keys. */
const KEYS = 300;
const RECIPIENTS = 1_000;
const TEXT = 'Your order 4711 has been shipped. It will arrive on Thursday between 9 and 12.';

/** Goals per send through the sandbox: rows written, bytes of WAL, statements. */
const MOST = { rowsWritten: 9, walBytes: 4_900, statements: 3 };
const CPU_GOAL = 0.75;

/** A way to send messages. */
interface Way {
  environment: 'live' | 'test';
  /** Whether each send has an Idempotency-Key. */
  isIdempotent: boolean;
}
const LIVE: Way = { environment: 'live', isIdempotent: true };
export const SANDBOX: Way = { environment: 'test', isIdempotent: false };

/**
 * `POST /messages/send` compared with bare Fastify, pg and undici, with their own tables and statements and the same guarantees:
 * keys; limits in Redis; the first answer per Idempotency-Key; each message stored before it is sent and never written twice;
 * outcome, events and webhook dispatches stored together; audit rows in batches.
 */
export const SEND: Bench = {
  description: `POST /messages/send with ${KEYS} keys, to a fake Telegram and through the sandbox, beside a bare server that promises the same`,
  async run(stage) {
    if (stage.beside !== undefined) return runBeside(stage, stage.beside);
    const telegram = await stage.server('telegram', join(__dirname, 'telegram-server.js'), {
      TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    });
    const databaseUrl = await stage.database('gateway_send');
    const gateway = await startGatewayServer(stage, 'gateway', databaseUrl, {
      BOOTSTRAP_API_KEY: API_KEY,
      TELEGRAM_BOT_TOKEN: BOT_TOKEN,
      TELEGRAM_API_ROOT: telegram.origin,
    });
    await telegramConnected(gateway);
    for (const way of [LIVE, SANDBOX]) {
      const pair = [await gatewaySender(gateway, databaseUrl, way), await startBare(stage, telegram, way)] as const;
      console.log(way.environment === 'live' ? '\nTo Telegram, each with an Idempotency-Key' : '\nThrough the sandbox');
      await warmUp(pair);
      // Autovacuum runs only once a minute. Without ANALYZE, PostgreSQL would scan whole tables, with plans for small ones.
      for (const one of pair) await withClient(one.databaseUrl, (client) => client.query('ANALYZE'));
      await compareCosts(
        pair,
        stage.redis['REDIS_URL'],
        { connections: 32, seconds: stage.seconds ?? 8, cpuGoal: CPU_GOAL },
        way.environment === 'test' ? MOST : { statements: 3 },
      );
      await compareThroughput(pair, { connections: 32, rounds: 4, secondsPerRound: 2 });
      await compareLatency(pair, { perSecond: 200, rounds: 4, secondsPerRound: 2.5, goalMs: 3 });
      for (const one of pair) await untilTrue(one.databaseUrl, one.stored, [one.asked()]);
      console.log('Every message answered is stored and delivered, with its events and audit entry, in both databases');
    }
  },
};

/** A build may cost a send this much more than an earlier one. */
const BESIDE_GOAL = 0.97;

/** This build and an earlier one, in turn. */
async function runBeside(stage: Stage, commit: string): Promise<void> {
  const former = buildFormer(commit, stage.directory);
  try {
    const start = async (name: string, databaseUrl: string, root?: string) => {
      const telegram = await stage.server(`telegram-${name}`, join(__dirname, 'telegram-server.js'), {
        TELEGRAM_BOT_TOKEN: BOT_TOKEN,
      });
      const environment = {
        BOOTSTRAP_API_KEY: API_KEY,
        TELEGRAM_BOT_TOKEN: BOT_TOKEN,
        TELEGRAM_API_ROOT: telegram.origin,
        // Queues of two deployments need a database of Redis each.
        ...(root && stage.redis['REDIS_URL'] && { REDIS_URL: new URL('/1', stage.redis['REDIS_URL']).href }),
      };
      const server = await startGatewayServer(stage, name, databaseUrl, environment, root);
      await telegramConnected(server);
      return (way: Way) => gatewaySender(server, databaseUrl, way, name);
    };
    const here = await start('this', await stage.database('gateway_this'));
    const there = await start('former', await stage.emptyDatabase('gateway_former'), former.root);
    for (const way of [LIVE, SANDBOX]) {
      const pair = [await here(way), await there(way)] as const;
      console.log(
        way.environment === 'live' ? `\nTo Telegram, beside ${commit}` : `\nThrough the sandbox, beside ${commit}`,
      );
      const seconds = stage.seconds ?? 8;
      for (const one of pair) await closedLoop(one, 16, seconds);
      for (const one of pair) await withClient(one.databaseUrl, (client) => client.query('ANALYZE'));
      await compareCosts(pair, stage.redis['REDIS_URL'], { connections: 32, seconds, cpuGoal: BESIDE_GOAL });
      await compareThroughput(pair, { connections: 32, rounds: 8, secondsPerRound: 2, goal: BESIDE_GOAL });
    }
  } finally {
    former.remove();
  }
}

interface Sender extends MeasuredContender {
  /** SQL: whether all $1 requests are stored. */
  stored: string;
}

async function telegramConnected({ origin }: ChildServer): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const integrations = await callGateway<{ platform: string; status: string }[]>(
      origin,
      API_KEY,
      'GET',
      '/integrations',
    );
    if (integrations.some(({ platform, status }) => platform === 'telegram' && status === 'connected')) return;
    if (Date.now() > deadline) throw new Error('The gateway does not connect to Telegram');
    await sleep(100);
  }
}

/** A sender with its own keys, created through the API. */
export async function gatewaySender(
  server: ChildServer,
  databaseUrl: string,
  way: Way,
  name = 'gateway',
): Promise<Sender> {
  const { environment } = way;
  const keys: string[] = [];
  for (let index = 0; index < KEYS; index += 1) {
    const body = { name: `bench ${index}`, environment, scopes: ['write:messages'] };
    keys.push((await callGateway<{ key: string }>(server.origin, API_KEY, 'POST', '/admin/api-keys', body)).key);
  }
  await liftLimits(databaseUrl);
  const settled = () => tasksDone(databaseUrl);
  return { ...sender(name, server, databaseUrl, keys, way, settled), stored: ALL_STORED(environment) };
}

async function startBare(stage: Stage, telegram: ChildServer, way: Way): Promise<Sender> {
  const { environment } = way;
  const databaseUrl = await stage.emptyDatabase(`bare_send_${environment}`);
  const keys = Array.from({ length: KEYS }, () => generateKey(environment));
  const server = await stage.server(`bare-${environment}`, join(__dirname, 'bare-server.js'), {
    DATABASE_URL: databaseUrl,
    BARE_API_KEY: keys.join(','),
    TELEGRAM_URL: telegram.origin,
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    ...stage.redis,
  });
  return { ...sender('bare', server, databaseUrl, keys, way), stored: ALL_STORED_BARE };
}

function sender(
  name: string,
  server: ChildServer,
  databaseUrl: string,
  keys: readonly string[],
  { isIdempotent }: Way,
  settled?: () => Promise<void>,
): MeasuredContender {
  const send = () => {
    const body = { platform: 'telegram', recipient: String(1 + randomInt(RECIPIENTS)), message: TEXT };
    const request = apiRequest(keys[randomInt(keys.length)]!, 'POST', '/messages/send', body);
    if (isIdempotent) request.headers['idempotency-key'] = randomUUID();
    return request;
  };
  return apiContender(name, server, databaseUrl, send, settled);
}
