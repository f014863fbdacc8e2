import type { Contender, Pair } from './bench.port';
import { printVerdict } from './goals';
import { closedLoop, openLoop } from './load';
import { median, percentile, percentileOfRounds } from './statistics';
import { undisturbed } from './undisturbed';

/** Long enough for V8 to compile the hot functions, so that the bench measures a server that has run for a while. */
const WARM_UP = { connections: 16, seconds: 3, rounds: 4 };

export async function warmUp(contenders: readonly Contender[]): Promise<void> {
  for (let round = 1; round <= WARM_UP.rounds; round++) {
    for (const contender of contenders) {
      await closedLoop(contender, WARM_UP.connections, WARM_UP.seconds);
      await contender.settled();
    }
  }
}

export interface ThroughputPlan {
  connections: number;
  rounds: number;
  secondsPerRound: number;
  /** The lowest acceptable ratio, if there is a goal. */
  goal?: number;
}

/** Closed-loop rounds of both in turn, so that other load on the machine affects both. Prints each round and the median ratio. */
export async function compareThroughput(pair: Pair, plan: ThroughputPlan): Promise<void> {
  const { connections, rounds, secondsPerRound, goal } = plan;
  const ratios: number[] = [];
  console.log(`\n${connections} connections, closed loop, ${rounds} rounds of ${secondsPerRound} s`);
  for (let round = 1; round <= rounds; round++) {
    const [gateway, bare] = (await inTurn(pair, round, (contender) =>
      closedLoop(contender, connections, secondsPerRound),
    )) as [number, number];
    ratios.push(gateway / bare);
    console.log(
      `  round ${round}: ${pair[0].name} ${rate(gateway)}, ${pair[1].name} ${rate(bare)}, ratio ${(gateway / bare).toFixed(2)}`,
    );
  }
  const ratio = median(ratios);
  if (goal === undefined) console.log(`  median ratio ${ratio.toFixed(2)}`);
  else printVerdict('median ratio', ratio, { limit: goal, unit: '×', least: true });
}

export interface LatencyPlan {
  perSecond: number;
  rounds: number;
  secondsPerRound: number;
  /** By how much the first may be slower at p99, in milliseconds. */
  goalMs: number;
}

/** Open-loop rounds of both in turn. Prints p50 and p99 over all rounds, and the difference between the median rounds. */
export async function compareLatency(pair: Pair, plan: LatencyPlan): Promise<void> {
  const { perSecond, rounds, secondsPerRound, goalMs } = plan;
  const measured: number[][][] = pair.map(() => []);
  console.log(`\n${perSecond} requests per second, open loop, ${rounds} rounds of ${secondsPerRound} s`);
  for (let round = 1; round <= rounds; round++) {
    const latencies = await inTurn(pair, round, (contender) => openLoop(contender, perSecond, secondsPerRound));
    for (const [index, values] of latencies.entries()) measured[index]!.push(values);
  }
  for (const [index, { name }] of pair.entries()) {
    console.log(`  ${name.padEnd(8)} ${latencyInWords(measured[index]!.flat())}`);
  }
  const [d50, d99] = [0.5, 0.99].map((share) => {
    const [first, second] = measured.map((one) => percentileOfRounds(one, share)) as [number, number];
    return first - second;
  }) as [number, number];
  console.log(`  difference of a round's p50 ${d50.toFixed(2)} ms`);
  printVerdict("difference of a round's p99", d99, { limit: goalMs, unit: 'ms' });
}

/** e.g. `p50 3.10 ms, p99 20.43 ms` */
export function latencyInWords(latencies: readonly number[]): string {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(2));
  return `p50 ${p50} ms, p99 ${p99} ms`;
}

/** Measures each contender. Each round begins with a different one. @returns the results, in the order of the contenders */
export async function inTurn<T>(
  contenders: readonly Contender[],
  round: number,
  measure: (contender: Contender) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let turn = 0; turn < contenders.length; turn++) {
    const index = (round - 1 + turn) % contenders.length;
    const contender = contenders[index]!;
    results[index] = await undisturbed(
      () => measure(contender),
      () => contender.settled(),
    );
  }
  return results;
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond)}/s`;
}
