import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { apiRequest, callGateway } from '../api-request';
import { liftLimits } from '../bench-database';
import type { Contender } from '../bench.port';
import { printVerdict } from '../goals';
import { closedLoop, openLoop } from '../load';
import type { Stage } from '../stage';
import { median } from '../statistics';
import { undisturbed } from '../undisturbed';
import type { StreamOrder, StreamReport } from './stream-reader';

const KEYS = 20;
const STREAMS_PER_KEY = 10;
const INBOUND = { perSecond: 100, seconds: 6 };
const ROUNDS = 5;
const SEND_CONNECTIONS = 8;
const LOOK_MS = 100;
const TIMEOUT_MS = 30_000;
const GOAL_P99_MS = 250;
const GOAL_SENDS = 0.8;

/** The measured gateway and its database. */
export interface Measured {
  stage: Stage;
  databaseUrl: string;
  origin: string;
  apiKey: string;
}

/** 200 streams while people write 100 messages a second: completeness and latency of events, and the effect on sends. */
export async function measureStreams(measured: Measured): Promise<void> {
  const { stage, databaseUrl, origin, apiKey } = measured;
  await callGateway(origin, apiKey, 'PATCH', '/admin/settings', { ai: { auto_reply: false } });
  const keys: string[] = [];
  while (keys.length < KEYS) {
    const body = { name: 'bench', scopes: ['*'] };
    const { key } = await callGateway<{ key: string }>(origin, apiKey, 'POST', '/admin/api-keys', body);
    keys.push(key);
  }
  await liftLimits(databaseUrl);
  const reader = await stage.server('reader', join(__dirname, 'stream-reader.js'), {});
  const order: StreamOrder = { origin, keys, streamsPerKey: STREAMS_PER_KEY, types: 'message.received' };
  const streams = KEYS * STREAMS_PER_KEY;
  console.log(`\n${streams} streams, ${INBOUND.perSecond} inbound messages per second for ${INBOUND.seconds} s`);
  const people = inbound(measured);

  const report = await undisturbed(async () => {
    await ask(reader.origin, '/open', order);
    try {
      await openLoop(people, INBOUND.perSecond, INBOUND.seconds);
      return await arrived(reader.origin, INBOUND.perSecond * INBOUND.seconds, streams);
    } finally {
      await ask(reader.origin, '/close', {});
    }
  });
  console.log(
    `  ${report.complete} of ${streams} streams have each of ${report.events} events, ${report.repeated} repeated; p50 ${report.p50.toFixed(1)} ms`,
  );
  printVerdict('p99 from event to arrival', report.p99, { limit: GOAL_P99_MS, unit: 'ms' });

  console.log(`\nsends, ${SEND_CONNECTIONS} connections, beside the same messages, with and without the streams`);
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const rates = new Map<boolean, number>();
    for (const withStreams of round % 2 === 1 ? [false, true] : [true, false]) {
      if (withStreams) await ask(reader.origin, '/open', order);
      rates.set(withStreams, await undisturbed(() => sendsBeside(measured, people)));
      if (withStreams) await ask(reader.origin, '/close', {});
    }
    const [alone, beside] = [rates.get(false)!, rates.get(true)!];
    ratios.push(beside / alone);
    console.log(`  round ${round}: ${Math.round(alone)}/s without, ${Math.round(beside)}/s with them`);
  }
  printVerdict('sends with the streams, as a share', median(ratios), { limit: GOAL_SENDS, unit: 'of', least: true });
}

/** @returns sends per second in a closed loop while people write */
async function sendsBeside({ origin, apiKey }: Measured, people: Contender): Promise<number> {
  let number = 0;
  const sends: Contender = {
    name: 'sends',
    origin,
    request: () => {
      const body = { platform: 'telegram', recipient: String(1_000 + (++number % 1_000)), message: 'Hello' };
      return apiRequest(apiKey, 'POST', '/messages/send', body);
    },
    settled: () => Promise.resolve(),
  };
  const [rate] = await Promise.all([
    closedLoop(sends, SEND_CONNECTIONS, INBOUND.seconds),
    openLoop(people, INBOUND.perSecond, INBOUND.seconds),
  ]);
  return rate;
}

function inbound({ origin, apiKey }: Measured): Contender {
  let number = 0;
  return {
    name: 'people',
    origin,
    request: () =>
      apiRequest(apiKey, 'POST', '/sandbox/inbound', {
        platform: 'telegram',
        sender: { id: `person-${++number % 500}`, name: 'Ada Lovelace' },
        content: 'When do you open tomorrow?',
      }),
    settled: () => Promise.resolve(),
  };
}

/** @throws unless every stream receives every event */
async function arrived(reader: string, events: number, streams: number): Promise<StreamReport> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const report = await ask<StreamReport>(reader, '/report');
    if (report.events === events && report.complete === streams) return report;
    if (performance.now() > deadline) throw new Error(`Not all events arrived: ${JSON.stringify(report)}`);
    await sleep(LOOK_MS);
  }
}

async function ask<T>(reader: string, path: string, order?: object): Promise<T> {
  const method = order === undefined ? 'GET' : 'POST';
  const { statusCode, body } = await request(`${reader}${path}`, { method, body: order && JSON.stringify(order) });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(text);
  return JSON.parse(text) as T;
}
