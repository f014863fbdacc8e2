import { latencyInWords } from '../comparison';
import type { Timetable } from '../load';
import { percentileOfRounds } from '../statistics';
import { undisturbed } from '../undisturbed';
import { arrivalLatencies } from './arrival-latency';
import type { Party } from './parties';

/** Receivers that answer at once. */
export const HEALTHY = 10;
const ROUNDS = 4;
const LOOP: Timetable = { perSecond: 20, seconds: 3 };
/**
 * The most that the healthy ones' p99 may be, beside what it is alone. The median over the rounds counts: what delays them
 * in fewer than half of the rounds shows in the p99 of all alone, which is printed beside it.
 */
const GOAL = 1.2;

/**
 * Whether receivers that answer nothing for 30 s delay the others: the same ten healthy ones, alone and beside tarpits, in
 * turn. @param alone the gateway without any tarpit; @param beside the others, which are measured against it
 */
export async function compareIsolation(alone: Party, beside: readonly Party[], receiver: string): Promise<void> {
  const gateways = [alone, ...beside];
  console.log(`\nfrom commit to arrival at ${HEALTHY} healthy receivers, ${LOOP.perSecond} events per second`);
  const rounds = new Map<Party, number[][]>(gateways.map((gateway) => [gateway, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const gateway of round % 2 === 0 ? gateways : gateways.toReversed()) {
      const measure = () => arrivalLatencies(gateway, receiver, HEALTHY, LOOP);
      // The first round warms up, and lets the tarpits take what they can.
      if (round === 0) await measure();
      else rounds.get(gateway)!.push(await undisturbed(measure));
    }
  }
  const p99 = (gateway: Party) => percentileOfRounds(rounds.get(gateway)!, 0.99);
  for (const gateway of gateways) {
    const ratio = p99(gateway) / p99(alone);
    const goal = `, ${ratio.toFixed(2)} × alone (goal at most ${GOAL}: ${ratio <= GOAL ? 'met' : 'MISSED'})`;
    const all = latencyInWords(rounds.get(gateway)!.flat());
    const round = `p99 of a round ${p99(gateway).toFixed(1)} ms`;
    console.log(`  ${gateway.name.padEnd(12)} ${all}; ${round}${gateway === alone ? '' : goal}`);
  }
}
