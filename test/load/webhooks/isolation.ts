import { percentile } from '../statistics';
import { arrivalLatencies, inWords, type OpenLoop } from './arrival-latency';
import type { Party } from './parties';

/** Receivers that answer at once. */
export const HEALTHY = 10;
const ROUNDS = 4;
const LOOP: OpenLoop = { perSecond: 20, seconds: 5 };
/** The most that the healthy ones' p99 may be, beside what it is alone. */
const GOAL = 1.2;

/**
 * Whether receivers that answer nothing for 30 s delay the others: the same ten healthy ones, alone and beside tarpits, in
 * turn. @param alone the gateway without any tarpit; @param beside the others, which are measured against it
 */
export async function compareIsolation(alone: Party, beside: readonly Party[], receiver: string): Promise<void> {
  const gateways = [alone, ...beside];
  console.log(`\nfrom commit to arrival at ${HEALTHY} healthy receivers, ${LOOP.perSecond} events per second`);
  const latencies = new Map<Party, number[]>(gateways.map((gateway) => [gateway, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const gateway of round % 2 === 0 ? gateways : gateways.toReversed()) {
      const measured = await arrivalLatencies(gateway, receiver, HEALTHY, LOOP);
      // The first round warms up, and lets the tarpits take what they can.
      if (round > 0) latencies.get(gateway)!.push(...measured);
    }
  }
  const base = percentile(latencies.get(alone)!, 0.99);
  for (const [gateway, values] of latencies) {
    const ratio = percentile(values, 0.99) / base;
    const goal = `, p99 ${ratio.toFixed(2)} × alone (goal at most ${GOAL}: ${ratio <= GOAL ? 'met' : 'MISSED'})`;
    console.log(`  ${gateway.name.padEnd(12)} ${inWords(values)}${gateway === alone ? '' : goal}`);
  }
}
