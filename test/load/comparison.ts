import type { Contender, Pair } from './bench.port';
import { closedLoop, openLoop } from './load';
import { median, percentile, percentileOfRounds } from './statistics';
import { undisturbed } from './undisturbed';

export interface ThroughputPlan {
  connections: number;
  rounds: number;
  secondsPerRound: number;
  /** The least ratio that is good. */
  goal: number;
}

/** Closed-loop rounds of both in turn: what else the machine does meanwhile meets both alike. Prints each, and the median ratio. */
export async function compareThroughput(pair: Pair, plan: ThroughputPlan): Promise<void> {
  const { connections, rounds, secondsPerRound, goal } = plan;
  const ratios: number[] = [];
  console.log(`\n${connections} connections, closed loop, ${rounds} rounds of ${secondsPerRound} s`);
  for (let round = 1; round <= rounds; round++) {
    const [gateway, bare] = await inTurn(pair, round, (contender) =>
      closedLoop(contender, connections, secondsPerRound),
    );
    ratios.push(gateway / bare);
    console.log(
      `  round ${round}: ${pair[0].name} ${rate(gateway)}, ${pair[1].name} ${rate(bare)}, ratio ${(gateway / bare).toFixed(2)}`,
    );
  }
  const ratio = median(ratios);
  console.log(`  median ratio ${ratio.toFixed(2)} (goal at least ${goal}: ${ratio >= goal ? 'met' : 'MISSED'})`);
}

export interface LatencyPlan {
  perSecond: number;
  rounds: number;
  secondsPerRound: number;
  /** The most by which the first may be slower at p99, in milliseconds. */
  goalMs: number;
}

/** Open-loop rounds of both in turn; prints p50 and p99 over all rounds, and the difference of the median rounds'. */
export async function compareLatency(pair: Pair, plan: LatencyPlan): Promise<void> {
  const { perSecond, rounds, secondsPerRound, goalMs } = plan;
  const measured: [number[][], number[][]] = [[], []];
  console.log(`\n${perSecond} requests per second, open loop, ${rounds} rounds of ${secondsPerRound} s`);
  for (let round = 1; round <= rounds; round++) {
    const latencies = await inTurn(pair, round, (contender) => openLoop(contender, perSecond, secondsPerRound));
    for (const index of [0, 1] as const) measured[index].push(latencies[index]);
  }
  for (const index of [0, 1] as const) {
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(measured[index].flat(), share).toFixed(2));
    console.log(`  ${pair[index].name.padEnd(8)} p50 ${p50} ms, p99 ${p99} ms`);
  }
  const [d50, d99] = [0.5, 0.99].map((share) => {
    const [first, second] = measured.map((one) => percentileOfRounds(one, share)) as [number, number];
    return first - second;
  }) as [number, number];
  console.log(
    `  difference of a round's p50 ${signed(d50)} ms, p99 ${signed(d99)} ms (goal at most +${goalMs} ms: ${d99 <= goalMs ? 'met' : 'MISSED'})`,
  );
}

/** Whoever is first in one round is second in the next. */
async function inTurn<T>(pair: Pair, round: number, measure: (contender: Contender) => Promise<T>): Promise<[T, T]> {
  const results: T[] = [];
  for (const index of round % 2 === 1 ? [0, 1] : [1, 0]) {
    const contender = pair[index]!;
    results[index] = await undisturbed(
      () => measure(contender),
      () => contender.settled(),
    );
  }
  return results as [T, T];
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond)}/s`;
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
}
