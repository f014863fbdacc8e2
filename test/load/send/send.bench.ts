import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Bench, Contender } from '../bench.port';
import { compareLatency, compareThroughput } from '../comparison';
import { closedLoop } from '../load';
import type { Stage } from '../stage';
import { startGatewayServer } from '../gateway-server';
import { assertAllStored, tasksDone } from './send-database';

/** A test key: the sandbox takes the messages. */
const API_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';
const RECIPIENTS = 1_000;
const TEXT = 'Your order 4711 has been shipped. It will arrive on Thursday between 9 and 12.';

/** Long enough for the compiler to be done with either. */
const WARM_UP = { connections: 16, seconds: 3, rounds: 2 };

/**
 * `POST /messages/send` over the sandbox beside bare Fastify and pg that do the same: key, two limits, the same durable
 * statements, fan-out of the events to (no) webhooks, delivery confirmation, batched audit.
 */
export const SEND: Bench = {
  description: 'POST /messages/send over the sandbox, beside bare Fastify + pg doing the same durable work',
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
    for (const connections of [8, 32]) {
      await compareThroughput(pair, { connections, rounds: 9, secondsPerRound: 2, goal: 0.9 });
    }
    await compareLatency(pair, { perSecond: 200, rounds: 9, secondsPerRound: 2.5, goalMs: 3 });
    for (const contender of pair) await assertAllStored(contender.databaseUrl, contender.asked());
    console.log('\nEvery message answered is stored and delivered, with its events and audit entry, in both databases');
  },
};

interface Sender extends Contender {
  databaseUrl: string;
  /** Requests made so far. */
  asked(): number;
}

async function startGateway(stage: Stage): Promise<Sender> {
  const databaseUrl = await stage.database('gateway_send');
  const origin = await startGatewayServer(stage, 'gateway', databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
  return sender('gateway', origin, databaseUrl);
}

async function startBare(stage: Stage): Promise<Sender> {
  const databaseUrl = await stage.database('bare_send');
  const { origin } = await stage.server('bare', join(__dirname, 'bare-server.js'), {
    DATABASE_URL: databaseUrl,
    BARE_API_KEY: API_KEY,
  });
  return sender('bare', origin, databaseUrl);
}

function sender(name: string, origin: string, databaseUrl: string): Sender {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  let asked = 0;
  return {
    name,
    origin,
    databaseUrl,
    asked: () => asked,
    request: () => {
      asked += 1;
      const recipient = `recipient-${randomInt(RECIPIENTS)}`;
      const body = JSON.stringify({ platform: 'telegram', recipient, message: TEXT });
      return { method: 'POST', path: '/api/v1/messages/send', headers, body };
    },
    settled: () => tasksDone(databaseUrl),
  };
}
