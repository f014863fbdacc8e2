import { costsOf, printCosts } from '../costs';
import { printVerdict } from '../goals';
import { median } from '../statistics';
import { undisturbed } from '../undisturbed';
import type { Party, Recorder } from './parties';

/** A loop doubles its rate until the compiler is done with it. */
const WARM_UP = 10_000;
const ROUNDS = 4;
const PER_ROUND = 5_000;
/** The least ratio that is good. */
const GOAL = 0.9;

interface Compared {
  /** How many webhooks get each event. */
  receivers: number;
  /** Only signs and posts: nothing that keeps a promise can reach it. */
  loop?: Party;
  /** Promises what the gateway does. */
  bare: Recorder;
  gateways: readonly Recorder[];
}

/**
 * From committed event to recorded attempt; prints each round and the median ratios, then what a delivery costs. The loop
 * shows what the promise itself costs: ratios to it are printed beside, and have no goal.
 */
export async function compareThroughput(
  { receivers, loop, bare, gateways }: Compared,
  redisUrl?: string,
): Promise<void> {
  const all = [...(loop ? [loop] : []), bare, ...gateways];
  const rateOf = (party: Party, count: number) => deliveriesPerSecond(party, party === loop ? 1 : receivers, count);
  console.log(
    `\n${receivers} receivers: deliveries from committed event to recorded attempt, ${ROUNDS} rounds of ${PER_ROUND}`,
  );
  for (const one of all) await rateOf(one, WARM_UP);
  const rounds: Map<Party, number>[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const rates = new Map<Party, number>();
    for (const one of all) rates.set(one, await undisturbed(() => rateOf(one, PER_ROUND)));
    rounds.push(rates);
    const line = all.map((one) => `${one.name} ${Math.round(rates.get(one)!)}/s`);
    console.log(`  round ${round}: ${line.join(', ')}`);
  }
  const ratio = (one: Party, other: Party) => median(rounds.map((rates) => rates.get(one)! / rates.get(other)!));
  for (const gateway of gateways) {
    printVerdict(`${gateway.name} to bare`, ratio(gateway, bare), { limit: GOAL, unit: '×', least: true });
  }
  if (loop) {
    const toLoop = [bare, ...gateways].map((one) => `${one.name} ${ratio(one, loop).toFixed(2)}`);
    console.log(`  beside the loop that keeps no record: ${toLoop.join(', ')}`);
  }
  console.log(`\n${PER_ROUND} deliveries, each alone`);
  const recorders = [...gateways, bare];
  const costs = await costsOf(recorders, redisUrl, async (one) => {
    await rateOf(one, PER_ROUND);
    return { requests: PER_ROUND };
  });
  printCosts(recorders, costs, 'delivery');
}

async function deliveriesPerSecond(party: Party, receivers: number, count: number): Promise<number> {
  await party.order('prepare', { count: count / receivers });
  const startedAt = performance.now();
  await party.order('deliver', {});
  return (count * 1_000) / (performance.now() - startedAt);
}
