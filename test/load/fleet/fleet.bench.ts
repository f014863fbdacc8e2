import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setInterval as every } from 'node:timers/promises';
import { join } from 'node:path';
import { Pool } from 'undici';
import { fromPublicId } from '#contracts';
import { ALL_BILLED } from '../ai/ai-database';
import { MESSAGE, MODEL, PROVIDER_KEY } from '../ai/exchange';
import { apiContender, apiRequest } from '../api-request';
import type { Bench, MeasuredContender } from '../bench.port';
import { untilTrue } from '../bench-database';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { closedLoop, onTimetable } from '../load';
import { gatewaySender, SANDBOX } from '../send/send.bench';
import { tasksDone } from '../send/send-database';
import { withClient, type Stage } from '../stage';

/** A live key: for a test key, the sandbox would answer. */
const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
const COMMIT_DELAY_US = 5_000;
const REPLIES = { connections: 64, warmUpSeconds: 5, seconds: 10, goalPerSecond: 1_000 };
const KILLS = { perSecond: 200, everySeconds: 5, seconds: 60 };
/** From the kill until its connections are closed; a request that begins in between fails too. */
const NOTICED_MS = 50;

/** Several processes together: answers of two instances, and sends while workers are killed. */
export const FLEET: Bench = {
  description: 'answers per second of two instances with slow commits; 200 sends a second while workers are killed',
  async run(stage) {
    await measureReplies(stage);
    await killWorkers(stage);
  },
};

/** `POST /ai/generate` at two instances that share a database and a model; each commit takes 5 ms longer. */
async function measureReplies(stage: Stage): Promise<void> {
  const databaseUrl = await stage.database('gateway_replies');
  await delayCommits(databaseUrl);
  const { origin } = await stage.server('provider', join(__dirname, '../ai/provider-server.js'), {});
  const instances: MeasuredContender[] = [];
  for (const name of ['first', 'second']) {
    const server = await startGatewayServer(stage, name, databaseUrl, {
      BOOTSTRAP_API_KEY: API_KEY,
      API_KEY_PEPPER: 'the same in both instances',
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      ANTHROPIC_BASE_URL: origin,
      AI_MODEL: MODEL,
    });
    const ask = () => apiRequest(API_KEY, 'POST', '/ai/generate', { message: MESSAGE });
    instances.push(apiContender(name, server, databaseUrl, ask));
  }
  const run = (seconds: number) =>
    Promise.all(instances.map((instance) => closedLoop(instance, REPLIES.connections, seconds)));
  await run(REPLIES.warmUpSeconds);
  const rates = await run(REPLIES.seconds);
  const asked = instances.reduce((sum, instance) => sum + instance.asked(), 0);
  await untilTrue(databaseUrl, ALL_BILLED, [asked]);
  console.log(`\nTwo instances, one model, each commit ${COMMIT_DELAY_US / 1_000} ms longer`);
  printVerdict('answers per second', rates[0]! + rates[1]!, { limit: REPLIES.goalPerSecond, unit: '/s', least: true });
  console.log('  Every answer is on the bill, with its two events and its audit entry');
}

/** Only a superuser may set it. A commit waits, and those that wait with it are written together. */
async function delayCommits(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  url.username = 'postgres';
  await withClient(url.href, async (client) => {
    const database = url.pathname.slice(1);
    await client.query(`ALTER DATABASE ${database} SET commit_delay = ${COMMIT_DELAY_US}`);
    await client.query(`ALTER DATABASE ${database} SET commit_siblings = 0`);
  });
}

/** Only requests that were open when a worker died may fail, and each accepted message must be stored. */
async function killWorkers(stage: Stage): Promise<void> {
  if (!stage.redis['REDIS_URL']) return console.log('\nWorkers need Redis, which is not installed here');
  const databaseUrl = await stage.database('gateway_workers');
  const server = await startGatewayServer(stage, 'workers', databaseUrl, { BOOTSTRAP_API_KEY: API_KEY, WORKERS: '2' });
  const sender = await gatewaySender(server, databaseUrl, SANDBOX);
  const pool = new Pool(server.origin, { connections: 32, pipelining: 1 });
  const kills: number[] = [];
  const failures: { begun: number; ended: number; reason: string }[] = [];
  const accepted: string[] = [];
  const send = async (): Promise<void> => {
    const begun = performance.now();
    try {
      const { statusCode, body } = await pool.request(sender.request());
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
      accepted.push(fromPublicId('message', (JSON.parse(text) as { data: { message_id: string } }).data.message_id)!);
    } catch (error) {
      failures.push({ begun, ended: performance.now(), reason: (error as Error).message });
    }
  };
  const stopKilling = new AbortController();
  const killing = killAWorkerAtIntervals(server.pid, kills, stopKilling);
  // Awaited after the last send; until then a rejection must not count as unhandled.
  killing.catch(() => undefined);
  await onTimetable(KILLS, send);
  stopKilling.abort();
  await killing;
  await pool.destroy();
  const unexplained = failures.filter(
    ({ begun, ended }) => !kills.some((killed) => begun <= killed + NOTICED_MS && ended >= killed),
  );
  for (const { reason } of unexplained) console.log(`  failed although no worker died meanwhile: ${reason}`);
  // A message that was stored but not answered before its worker died is sent by another one.
  await tasksDone(databaseUrl);
  const missing = accepted.length - (await countDelivered(databaseUrl, accepted));
  console.log(`\nWORKERS=2, ${KILLS.perSecond} sends a second, ${kills.length} kills in ${KILLS.seconds} s`);
  console.log(`  ${accepted.length} sends accepted, ${failures.length} failed`);
  printVerdict('failures without a kill', unexplained.length, { limit: 0, unit: 'requests' });
  printVerdict('accepted messages that were not delivered', missing, { limit: 0, unit: 'messages' });
}

/** Kills a random worker every 5 s until aborted. @param kills gets the time of each, by `performance.now()` */
async function killAWorkerAtIntervals(primary: number, kills: number[], { signal }: AbortController): Promise<void> {
  try {
    for await (const _ of every(KILLS.everySeconds * 1_000, undefined, { signal })) {
      const workers = workersOf(primary);
      if (workers.length === 0) continue;
      process.kill(workers[randomInt(workers.length)]!, 'SIGKILL');
      kills.push(performance.now());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The children of a primary process that run the same program. */
function workersOf(primary: number): number[] {
  const children = readFileSync(`/proc/${primary}/task/${primary}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.js');
    } catch {
      return false; // it has just ended
    }
  });
}

function countDelivered(databaseUrl: string, ids: readonly string[]): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM messages WHERE status = 'delivered' AND id = ANY($1)`,
      [ids],
    );
    return Number(rows[0]!.count);
  });
}
