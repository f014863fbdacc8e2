import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { callGateway } from '../api-request';
import { MODEL, PROVIDER_KEY } from '../ai/exchange';
import type { ChildServer } from '../child-server';
import { startGatewayServer } from '../gateway-server';
import { judge, printVerdict } from '../goals';
import { BOT_TOKEN, CALLBACK_PATH, WEBHOOK_SECRET } from '../inbound/conversation';
import { onTimetable } from '../load';
import type { Stage } from '../stage';
import { processorTime } from '../processes';
import { percentile } from '../statistics';
import { Party } from '../webhooks/parties';
import { HonestClients } from './honest-clients';

const LIVE_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
const MOST_MB = 700;
const WARM_UP_SECONDS = 10;
const LONGEST_BASELINE_SECONDS = 60;
/** Honest people who write, per second; each waits for the assistant's answer. */
const CONVERSES_PER_SECOND = 3;
/** Enough people that none of them writes more often than the assistant answers one person. */
const PEOPLE = 600;

interface Latencies {
  /** Latencies of requests to the API, in milliseconds. */
  requests: number[];
  /** From a person's message to the assistant's answer, in milliseconds. */
  answers: number[];
}

/** Honest clients and people alone, then among people and clients who send files and texts that harm. */
export async function filesAsWeapons(stage: Stage, seconds: number): Promise<void> {
  const provider = await stage.server('provider', join(__dirname, 'provider-server.js'), {});
  const people = await stage.server('people', join(__dirname, '../inbound/people-server.js'), {
    PROVIDER_URL: provider.origin,
  });
  const attackersServer = await stage.server('file attackers', join(__dirname, 'file-attackers-server.js'), {
    LIVE_KEY,
  });
  const attackers = new Party('attackers', attackersServer);
  const gateway = await startGatewayServer(stage, 'hostile_files', await stage.database('hostile_files'), {
    BOOTSTRAP_API_KEY: LIVE_KEY,
    LOG_LEVEL: 'fatal',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: provider.origin,
    AI_MODEL: MODEL,
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_API_ROOT: people.origin,
    // The gateway's port is not known yet. Each `/converse` request names the real callback URL.
    TELEGRAM_WEBHOOK_URL: `https://127.0.0.1:9${CALLBACK_PATH}`,
    TELEGRAM_WEBHOOK_SECRET: WEBHOOK_SECRET,
    ...(await attackers.order<Record<string, string>>('environment', {})),
  });
  await untilConnected(gateway);
  const honest = new HonestClients(gateway.origin, LIVE_KEY);
  const failures: string[] = [];
  await traffic(honest, people, gateway, WARM_UP_SECONDS, failures);
  const alone = await traffic(honest, people, gateway, Math.min(LONGEST_BASELINE_SECONDS, seconds), failures);
  await attackers.order('begin', { port: Number(new URL(gateway.origin).port) });
  const servers = { gateway, attackers: attackersServer, people, provider };
  const spent = processorTimes(servers);
  const among = await traffic(honest, people, gateway, seconds, failures);
  printShares(spent, processorTimes(servers), seconds);
  const restarts = isRunning(gateway.pid) ? 0 : 1;
  const peakMb = restarts === 0 ? peakMemory(gateway.pid) : NaN;
  const problems = restarts === 0 ? await problemsOf(gateway) : [];
  const attacks = await attackers.order<Record<string, number>>('end', {});
  await honest.close();
  console.log(
    `  attacks: ${Object.entries(attacks)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ')}`,
  );
  const refused = [...honest.failures].map(([status, count]) => `${status} × ${count}`);
  if (problems.length > 0) console.log(`  problems: ${problems.join(' ')}`);
  compare('requests', alone.requests, among.requests);
  compare('answers of the assistant', alone.answers, among.answers);
  judge([
    { name: `peak memory below ${MOST_MB} MiB`, met: peakMb < MOST_MB, figure: `${peakMb.toFixed(0)} MiB` },
    { name: 'the gateway does not restart', met: restarts === 0, figure: `${restarts} restarts` },
    {
      name: 'every honest request and message is answered',
      met: refused.length + failures.length === 0,
      figure: [...refused, `${failures.length} messages without an answer`, ...failures.slice(0, 1)].join(', '),
    },
  ]);
}

/** A miss is no failure: other work on the machine delays both. */
function compare(what: string, alone: readonly number[], among: readonly number[]): void {
  const [before, beside] = [percentile(alone, 0.99), percentile(among, 0.99)];
  console.log(`  p99 of honest ${what}: ${before.toFixed(1)} ms alone, ${beside.toFixed(1)} ms among attackers`);
  printVerdict('among attackers, over alone', beside / before, { limit: 2, unit: '×' });
}

/** Processor time of each server so far, in microseconds. */
function processorTimes(servers: Readonly<Record<string, ChildServer>>): [name: string, us: number][] {
  return Object.entries(servers).map(([name, { pid }]) => [name, processorTime(pid)]);
}

/** Tells whether the gateway was slow or had no processor: attackers and fakes run on the same machine. */
function printShares(before: readonly [string, number][], after: readonly [string, number][], seconds: number): void {
  const shares = after.map(
    ([name, us], index) => `${name} ${Math.round((us - before[index]![1]) / seconds / 10_000)} %`,
  );
  console.log(
    `  processor among attackers, of a core: ${shares.join(', ')}; the machine has ${availableParallelism()} cores`,
  );
}

/** Requests and people at the same time. @param failures collects why messages were not answered */
async function traffic(
  honest: HonestClients,
  people: ChildServer,
  gateway: ChildServer,
  seconds: number,
  failures: string[],
): Promise<Latencies> {
  const callback = encodeURIComponent(`${gateway.origin}${CALLBACK_PATH}`);
  let next = 0;
  const [requests, answers] = await Promise.all([
    honest.ask(seconds),
    onTimetable({ perSecond: CONVERSES_PER_SECOND, seconds }, async (due) => {
      // Not the recipients of the honest clients.
      const chat = 9_000 + (next++ % PEOPLE);
      const url = `${people.origin}/converse?chat=${chat}&callback=${callback}`;
      const { statusCode, body } = await request(url, { method: 'POST', headersTimeout: 0 });
      const text = await body.text();
      if (statusCode !== 200) failures.push(text);
      return performance.now() - due;
    }),
  ]);
  return { requests, answers };
}

/** The gateway's problems, each once: they say why people get no answers. */
async function problemsOf({ origin }: ChildServer): Promise<string[]> {
  const problems = await callGateway<{ title: string }[]>(origin, LIVE_KEY, 'GET', '/problems');
  return [...new Set(problems.map(({ title }) => title))];
}

async function untilConnected({ origin }: ChildServer): Promise<void> {
  for (;;) {
    const integrations = await callGateway<{ platform: string; status: string }[]>(
      origin,
      LIVE_KEY,
      'GET',
      '/integrations',
    );
    const missing = integrations.filter(
      ({ platform, status }) => ['telegram', 'whatsapp'].includes(platform) && status !== 'connected',
    );
    if (missing.length === 0) return;
    await sleep(200);
  }
}

function isRunning(pid: number): boolean {
  try {
    // A process that has ended may still have an entry.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The most resident memory that the process ever had, in MiB. */
function peakMemory(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}
