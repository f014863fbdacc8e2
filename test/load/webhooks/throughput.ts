import { costsOf, printCosts } from '../costs';
import { printVerdict } from '../goals';
import { median } from '../statistics';
import { undisturbed } from '../undisturbed';
import type { DurableParty, Party } from './parties';

/** The bare loop doubles its rate until the compiler is done with it. */
const WARM_UP = 10_000;
const ROUNDS = 5;
const PER_ROUND = 5_000;
/** The least ratio that is good. */
const GOAL = 0.55;

/**
 * From committed event to recorded attempt, beside a loop that only signs and posts; prints each round and the median ratios,
 * then what a delivery costs.
 * @param durable the bare one that keeps records: beside it a ratio is printed too
 */
export async function compareThroughput(
  bare: Party,
  durable: DurableParty,
  gateways: readonly DurableParty[],
  redisUrl?: string,
): Promise<void> {
  const recorders = [...gateways, durable];
  console.log(`\ndeliveries from committed event to recorded attempt, ${ROUNDS} rounds of ${PER_ROUND}`);
  for (const one of [bare, ...recorders]) await rateOf(one, WARM_UP);
  const ratios = new Map<string, number[]>(recorders.map(({ name }) => [name, []]));
  for (let round = 1; round <= ROUNDS; round++) {
    const bareRate = await undisturbed(() => rateOf(bare, PER_ROUND));
    const line = [`bare ${Math.round(bareRate)}/s`];
    for (const gateway of recorders) {
      const rate = await undisturbed(() => rateOf(gateway, PER_ROUND));
      ratios.get(gateway.name)!.push(rate / bareRate);
      line.push(`${gateway.name} ${Math.round(rate)}/s (${(rate / bareRate).toFixed(2)})`);
    }
    console.log(`  round ${round}: ${line.join(', ')}`);
  }
  const ratio = ({ name }: Party) => median(ratios.get(name)!);
  console.log(`  ${durable.name} to bare: ${ratio(durable).toFixed(2)}`);
  for (const gateway of gateways) {
    console.log(`  ${gateway.name} to ${durable.name}: ${(ratio(gateway) / ratio(durable)).toFixed(2)}`);
    printVerdict(`${gateway.name} to bare`, ratio(gateway), { limit: GOAL, unit: '×', least: true });
  }
  console.log(`\n${PER_ROUND} deliveries, each alone`);
  const costs = await costsOf(recorders, redisUrl, async (one) => {
    await rateOf(one, PER_ROUND);
    return { requests: PER_ROUND };
  });
  printCosts(recorders, costs, 'delivery');
}

/** @returns deliveries per second */
async function rateOf(party: Party, count: number): Promise<number> {
  await party.order('prepare', { count });
  const startedAt = performance.now();
  await party.order('deliver', {});
  return (count * 1_000) / (performance.now() - startedAt);
}
