import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { apiContender, apiRequest } from '../api-request';
import type { Bench, MeasuredContender } from '../bench.port';
import { untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { compareLatency, compareThroughput, warmUp } from '../comparison';
import { compareCosts } from '../costs';
import type { Stage } from '../stage';
import { startGatewayServer } from '../gateway-server';
import { ALL_STORED, ALL_STORED_BARE, tasksDone } from './send-database';

/** A test key: the sandbox takes the messages. */
const API_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';
const RECIPIENTS = 1_000;
const TEXT = 'Your order 4711 has been shipped. It will arrive on Thursday between 9 and 12.';

/** Rows written, bytes of PostgreSQL's log, statements: for each send. */
const MOST = { rowsWritten: 7, walBytes: 3_500, statements: 3 };

/**
 * `POST /messages/send` over the sandbox beside bare Fastify and pg, with tables and statements of its own that keep the
 * same promise: key, limits in Redis, stored before it is sent, outcome, events and what is owed of them together, audit in
 * batches.
 */
export const SEND: Bench = {
  description: 'POST /messages/send over the sandbox, beside bare Fastify + pg that promises the same',
  async run(stage) {
    const gateway = await startGateway(stage);
    const bare = await startBare(stage);
    const pair = [gateway, bare] as const;
    await warmUp(pair);
    await compareThroughput(pair, { connections: 32, rounds: 8, secondsPerRound: 2, goal: 0.7 });
    await compareCosts(pair, stage.redis['REDIS_URL'], { connections: 32, seconds: 5 }, MOST);
    await compareLatency(pair, { perSecond: 200, rounds: 9, secondsPerRound: 2.5, goalMs: 3 });
    for (const one of pair) await untilTrue(one.databaseUrl, one.stored, [one.asked()]);
    console.log('\nEvery message answered is stored and delivered, with its events and audit entry, in both databases');
  },
};

interface Sender extends MeasuredContender {
  /** SQL of whether all of $1 requests are kept. */
  stored: string;
}

async function startGateway(stage: Stage): Promise<Sender> {
  const databaseUrl = await stage.database('gateway_send');
  const server = await startGatewayServer(stage, 'gateway', databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
  return sender('gateway', server, databaseUrl, { stored: ALL_STORED, settled: () => tasksDone(databaseUrl) });
}

async function startBare(stage: Stage): Promise<Sender> {
  const databaseUrl = await stage.emptyDatabase('bare_send');
  const server = await stage.server('bare', join(__dirname, 'bare-server.js'), {
    DATABASE_URL: databaseUrl,
    BARE_API_KEY: API_KEY,
    ...stage.redis,
  });
  return sender('bare', server, databaseUrl, { stored: ALL_STORED_BARE });
}

function sender(
  name: string,
  server: ChildServer,
  databaseUrl: string,
  { stored, settled }: { stored: string; settled?: () => Promise<void> },
): Sender {
  const send = () => {
    const recipient = `recipient-${randomInt(RECIPIENTS)}`;
    return apiRequest(API_KEY, 'POST', '/messages/send', { platform: 'telegram', recipient, message: TEXT });
  };
  return { ...apiContender(name, server, databaseUrl, send, settled), stored };
}
