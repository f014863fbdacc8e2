import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { generateKey } from '../../../src/api-keys/key-format';
import { lastingPort } from '../../support/lasting-port';
import type { Bench } from '../bench.port';
import { liftLimits } from '../bench-database';
import type { ChildServer } from '../child-server';
import { withClient, type Stage } from '../stage';
import { callGateway } from '../api-request';
import { judge } from '../goals';
import { describeMemory, livingGoal, livingMemory, tellingMemory } from './living-memory';
import { ProcessSamples, usedHeap } from './process-samples';

const WEBHOOKS = 265;
const DELIVERIES = 208_000;
/** The comparison starts after this many deliveries, with full caches and compiled code. */
const WARM = 40_000;
/** Events stored at once, each for every webhook. */
const WAVE = 20;
/** Stores the next wave when fewer attempts are due, because memory may depend on the work in progress. */
const FEW = 2_000;
const EVERY_MS = 500;
/** Delays retries until after the bench, so that each attempt is a new delivery. */
const SCHEDULE = '36000,36000,36000,36000,36000';

interface Progress {
  attempts: number;
  due: number;
}

/** Deliveries to dead hosts, each with its own address: half refuse connections, half answer 503. */
async function run(stage: Stage): Promise<void> {
  const failing = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    request.resume();
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => failing.listen(0, '0.0.0.0', resolve));
  try {
    await measure(stage, [(failing.address() as AddressInfo).port, await lastingPort()]);
  } finally {
    failing.close().closeAllConnections();
  }
}

async function measure(stage: Stage, ports: readonly number[]): Promise<void> {
  const databaseUrl = await stage.database('dead_hosts');
  const key = generateKey('live');
  const gateway = await stage.server('dead-hosts', join(__dirname, '../../../bundle/main.js'), {
    PORT: '0',
    LOG_LEVEL: 'error',
    DATA_DIR: join(stage.directory, 'dead-hosts'),
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_API_KEY: key,
    DASHBOARD: 'false',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_HOST_RATE: '0',
    WEBHOOK_RETRY_SCHEDULE: SCHEDULE,
    ...tellingMemory(stage.directory),
  });
  await liftLimits(databaseUrl);
  await callGateway(gateway.origin, key, 'PATCH', '/admin/settings', { webhooks: { max_endpoints: WEBHOOKS } });
  for (let index = 0; index < WEBHOOKS; index++) {
    const url = `http://127.1.${index >> 8}.${index & 255}:${ports[index % ports.length]}/hook`;
    await callGateway(gateway.origin, key, 'POST', '/webhooks', { url, events: ['message.sent'] });
  }
  await withClient(databaseUrl, (client) => watch(client, gateway, stage));
}

async function watch(
  client: Client,
  { pid, origin }: ChildServer,
  { directory, seconds = Infinity }: Stage,
): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  await deliver(client, WARM, until, origin);
  const early = await livingMemory(pid, tellingMemory(directory));
  const samples = new ProcessSamples(pid, origin);
  const attempts = await deliver(client, DELIVERIES, until, origin).finally(() => samples.stop());
  const late = await livingMemory(pid, tellingMemory(directory));
  console.log(
    `\n  memory by quarters: ${samples.quarters()} MB\n` +
      `  what lives: ${describeMemory(early)}\n  at the end: ${describeMemory(late)}\n`,
  );
  judge([
    { name: `${DELIVERIES} deliveries`, met: attempts >= DELIVERIES, figure: `${attempts} to ${WEBHOOKS} dead hosts` },
    samples.memoryGoal(),
    livingGoal(early, late),
  ]);
}

/**
 * Stores events until the gateway has made `goal` attempts, and waits until none is due.
 * @returns the number of attempts in all
 */
async function deliver(client: Client, goal: number, until: number, origin: string): Promise<number> {
  for (let next = 0; ; await sleep(EVERY_MS)) {
    const { attempts, due } = await progressOf(client);
    if (attempts >= next) {
      console.log(`  … ${attempts} deliveries, heap in use ${(await usedHeap(origin)).toFixed(1)} MB`);
      next = attempts + WARM;
    }
    const isEnough = attempts + due >= goal || performance.now() > until;
    if (isEnough && due === 0) return attempts;
    if (!isEnough && due < FEW) await storeWave(client);
  }
}

async function progressOf(client: Client): Promise<Progress> {
  const { rows } = await client.query<Progress>(
    `SELECT (SELECT coalesce(sum(attempts), 0)::int FROM webhook_dispatches) AS attempts,
       (SELECT count(*)::int FROM webhook_dispatches WHERE attempts = 0) AS due`,
  );
  return rows[0]!;
}

/** Stores events and their dispatches, like a send. */
async function storeWave(client: Client): Promise<void> {
  const ids = Array.from({ length: WAVE }, () => newUuid());
  const bodies = ids.map((id) =>
    JSON.stringify({
      id: toPublicId('event', id),
      type: 'message.sent',
      created_at: new Date().toISOString(),
      data: { environment: 'live', content: 'Your order has been shipped. '.repeat(20) },
    }),
  );
  await client.query(
    `WITH stored AS (
       INSERT INTO events (id, environment, type, body, created_at)
       SELECT id, 'live', 'message.sent', body, now() FROM unnest($1::uuid[], $2::text[]) AS e (id, body) RETURNING id
     )
     INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
     SELECT stored.id, webhooks.id, now(), now() FROM stored, webhooks`,
    [ids, bodies],
  );
}

export const DEAD_HOSTS: Bench = {
  description: `${DELIVERIES} deliveries to ${WEBHOOKS} dead hosts: memory depends on current work, not on past work`,
  run,
};
