import { join } from 'node:path';
import type { Bench } from '../bench.port';
import { latencyInWords } from '../comparison';
import { printVerdict } from '../goals';
import type { Timetable } from '../load';
import type { Stage } from '../stage';
import { percentile } from '../statistics';
import { undisturbed } from '../undisturbed';
import { arrivalLatencies } from './arrival-latency';
import { compareIsolation, HEALTHY } from './isolation';
import { startBare, startGateway, startParty, type Party } from './parties';
import { compareThroughput } from './throughput';

const LOOP: Timetable = { perSecond: 200, seconds: 5 };
/** Deliveries per event. */
const RECEIVERS = [1, 50];
const ROUNDS = 3;
/** The highest acceptable p99 from commit to arrival, in milliseconds. */
const GOAL_MS = 25;

/**
 * Deliveries with the address guard, on both queue backends, to 1 and 50 receivers, compared with a bare dispatcher that gives the
 * same guarantees with its own tables, and with a loop without guarantees. Then latency, and tarpits beside healthy receivers.
 */
export const WEBHOOKS: Bench = {
  description:
    'deliveries to 1 and 50 receivers beside a bare dispatcher that promises the same; time from commit to arrival; tarpits',
  async run(stage) {
    const { origin } = await stage.server('receiver', join(__dirname, 'receiver-server.js'), {});
    const redisUrl = stage.redis['REDIS_URL'];
    const loop = await startParty(stage, 'loop', 'loop-server.js', { RECEIVER: origin });
    for (const receivers of RECEIVERS) {
      const urls = Array.from({ length: receivers }, (_, index) => `${origin}/receiver-${index}`);
      const bare = await startBare(stage, urls);
      const gateways = [await startGateway(stage, `postgresql_${receivers}`, urls)];
      if (redisUrl !== undefined) gateways.push(await startGateway(stage, `redis_${receivers}`, urls, redisUrl));
      await compareThroughput({ receivers, loop: receivers === 1 ? loop : undefined, bare, gateways }, redisUrl);
      if (receivers === 1) await printLatency(gateways, origin);
      // Frees database connections, whose number is limited.
      await Promise.all([bare, ...gateways].map((party) => party.stop()));
    }
    const [alone, ...beside] = await startAmongTarpits(stage, origin, redisUrl);
    await compareIsolation(alone!, beside, origin);
  },
};

/** Measures all gateways in turn, in an open loop. */
async function printLatency(gateways: readonly Party[], receiver: string): Promise<void> {
  console.log(`\nfrom commit to arrival, ${LOOP.perSecond} events per second, ${ROUNDS} rounds of ${LOOP.seconds} s`);
  const latencies = new Map<Party, number[]>(gateways.map((gateway) => [gateway, []]));
  for (let round = 1; round <= ROUNDS; round++) {
    for (const gateway of gateways) {
      const measured = await undisturbed(() => arrivalLatencies(gateway, receiver, 1, LOOP));
      latencies.get(gateway)!.push(...measured);
    }
  }
  for (const [{ name }, values] of latencies) {
    console.log(`  ${name.padEnd(12)} ${latencyInWords(values)}`);
    printVerdict(`p99 with ${name}`, percentile(values, 0.99), { limit: GOAL_MS, unit: 'ms' });
  }
}

function startAmongTarpits(stage: Stage, receiver: string, redisUrl?: string): Promise<Party[]> {
  const urls = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `${receiver}/${kind}-${i}`);
  const gateways = { alone: 0, one_tarpit: 1, tarpits_20: 20 };
  return Promise.all(
    Object.entries(gateways).map(([name, tarpits]) =>
      startGateway(stage, name, [...urls('healthy', HEALTHY), ...urls('tarpit', tarpits)], redisUrl),
    ),
  );
}
