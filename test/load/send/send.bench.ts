import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Bench, MeasuredContender } from '../bench.port';
import { untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { compareLatency, compareThroughput } from '../comparison';
import { costsOf, printCosts } from '../costs';
import { closedLoop } from '../load';
import type { Stage } from '../stage';
import { startGatewayServer } from '../gateway-server';
import { ALL_STORED, ALL_STORED_BARE, tasksDone } from './send-database';

/** A test key: the sandbox takes the messages. */
const API_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';
const RECIPIENTS = 1_000;
const TEXT = 'Your order 4711 has been shipped. It will arrive on Thursday between 9 and 12.';

/** Long enough for the compiler to be done with either. */
const WARM_UP = { connections: 16, seconds: 3, rounds: 2 };

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
    for (let round = 1; round <= WARM_UP.rounds; round++) {
      for (const contender of pair) {
        await closedLoop(contender, WARM_UP.connections, WARM_UP.seconds);
        await contender.settled();
      }
    }
    await compareThroughput(pair, { connections: 32, rounds: 8, secondsPerRound: 2, goal: 0.7 });
    await compareCosts(pair, stage);
    await compareLatency(pair, { perSecond: 200, rounds: 9, secondsPerRound: 2.5, goalMs: 3 });
    for (const one of pair) await untilTrue(one.databaseUrl, one.stored, [one.asked()]);
    console.log('\nEvery message answered is stored and delivered, with its events and audit entry, in both databases');
  },
};

interface Sender extends MeasuredContender {
  /** SQL of whether all of $1 requests are kept. */
  stored: string;
  /** Requests made so far. */
  asked(): number;
}

/** Goals of a send: rows, bytes of PostgreSQL's log, statements. */
const MOST = { rows: 7, walBytes: 3_500, statements: 3 } as const;

async function compareCosts(pair: readonly Sender[], stage: Stage): Promise<void> {
  console.log(`\n32 connections, closed loop, each alone for 5 s`);
  const costs = [];
  for (const contender of pair)
    costs.push(await costsOf(contender, stage.redis['REDIS_URL'], { connections: 32, seconds: 5 }));
  printCosts(
    pair.map(({ name }) => name),
    costs,
  );
  for (const [name, most] of Object.entries(MOST)) {
    const value = costs[0]![name as keyof typeof MOST];
    const verdict = value === undefined ? 'not measured' : value <= most ? 'met' : 'MISSED';
    console.log(`  goal of ${name}: at most ${most}: ${verdict}`);
  }
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
  return sender('bare', server, databaseUrl, { stored: ALL_STORED_BARE, settled: () => Promise.resolve() });
}

function sender(
  name: string,
  { origin, pid }: ChildServer,
  databaseUrl: string,
  rest: Pick<Sender, 'stored' | 'settled'>,
): Sender {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  let asked = 0;
  return {
    name,
    origin,
    pid,
    databaseUrl,
    asked: () => asked,
    request: () => {
      asked += 1;
      const recipient = `recipient-${randomInt(RECIPIENTS)}`;
      const body = JSON.stringify({ platform: 'telegram', recipient, message: TEXT });
      return { method: 'POST', path: '/api/v1/messages/send', headers, body };
    },
    ...rest,
  };
}
