import { median } from '../statistics';
import { undisturbed } from '../undisturbed';
import type { Party } from './parties';

/** The bare loop doubles its rate until the compiler is done with it. */
const WARM_UP = 20_000;
const ROUNDS = 5;
const PER_ROUND = 5_000;
/** The least ratio that is good. */
const GOAL = 0.35;

/** From committed event to recorded attempt, beside a loop that only signs and posts; prints each round and the median ratios. */
export async function compareThroughput(bare: Party, gateways: readonly Party[]): Promise<void> {
  console.log(`\ndeliveries from committed event to recorded attempt, ${ROUNDS} rounds of ${PER_ROUND}`);
  for (const one of [bare, ...gateways]) await rateOf(one, WARM_UP);
  const ratios = new Map<string, number[]>(gateways.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round++) {
    const bareRate = await undisturbed(() => rateOf(bare, PER_ROUND));
    const line = [`bare ${Math.round(bareRate)}/s`];
    for (const gateway of gateways) {
      const rate = await undisturbed(() => rateOf(gateway, PER_ROUND));
      ratios.get(gateway.name)!.push(rate / bareRate);
      line.push(`${gateway.name} ${Math.round(rate)}/s (${(rate / bareRate).toFixed(2)})`);
    }
    console.log(`  round ${round}: ${line.join(', ')}`);
  }
  for (const [name, values] of ratios) {
    const ratio = median(values);
    const verdict = ratio >= GOAL ? 'met' : 'MISSED';
    console.log(`  ${name}: median ratio ${ratio.toFixed(2)} (goal at least ${GOAL}: ${verdict})`);
  }
}

/** @returns deliveries per second */
async function rateOf(party: Party, count: number): Promise<number> {
  await party.order('prepare', { count });
  const startedAt = performance.now();
  await party.order('deliver', {});
  return (count * 1_000) / (performance.now() - startedAt);
}
