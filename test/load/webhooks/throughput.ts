import { costsOf, printCosts } from '../costs';
import { printVerdict } from '../goals';
import { median } from '../statistics';
import { undisturbed } from '../undisturbed';
import type { Party, Recorder } from './parties';

/** Deliveries to warm up: a loop doubles its rate until V8 has compiled it. */
const WARM_UP = 10_000;
const ROUNDS = 4;
const PER_ROUND = 5_000;
/** The lowest acceptable ratio. */
const GOAL = 0.9;

interface Compared {
  /** Number of webhooks that get each event. */
  receivers: number;
  /** Only signs and posts: an upper bound that no durable dispatcher reaches. */
  loop?: Party;
  /** Gives the same guarantees as the gateway. */
  bare: Recorder;
  gateways: readonly Recorder[];
}

/**
 * Measures deliveries from committed event to recorded attempt. Prints each round, the median ratios, and the costs of a
 * delivery. Ratios to the loop show the cost of durability and have no goal.
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
