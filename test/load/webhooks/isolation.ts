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
 * The highest acceptable p99 of the healthy receivers, relative to their p99 without tarpits. The median of the rounds counts.
 * A delay in fewer than half of the rounds shows only in the p99 over all rounds, which is printed too.
 */
const GOAL = 1.2;

/**
 * Measures whether receivers that do not answer for 30 s delay ten healthy receivers: without and with tarpits, in turn.
 * @param alone the gateway without tarpits @param beside the gateways with tarpits, compared with `alone`
 */
export async function compareIsolation(alone: Party, beside: readonly Party[], receiver: string): Promise<void> {
  const gateways = [alone, ...beside];
  console.log(`\nfrom commit to arrival at ${HEALTHY} healthy receivers, ${LOOP.perSecond} events per second`);
  const rounds = new Map<Party, number[][]>(gateways.map((gateway) => [gateway, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const gateway of round % 2 === 0 ? gateways : gateways.toReversed()) {
      const measure = () => arrivalLatencies(gateway, receiver, HEALTHY, LOOP);
      // The first round warms up, and fills the connections to the tarpits.
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
