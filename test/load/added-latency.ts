import type { Contender } from './bench.port';
import { inTurn, latencyInWords } from './comparison';
import { printVerdict } from './goals';
import { openLoop } from './load';
import { median, percentile } from './statistics';

export interface AddedLatencyPlan {
  perSecond: number;
  rounds: number;
  secondsPerRound: number;
  /** The highest latency that the first detour may add, in milliseconds. */
  goals: { p50: number; p99?: number };
}

/**
 * Measures the direct way and all detours in turn, in open-loop rounds. The latency that a detour adds is its percentile minus
 * the direct way's in the same round. The result is the median of the rounds, so that one stall of the machine does not spoil it.
 * @param direct the same request without the gateway or a stand-in
 */
export async function compareAddedLatency(
  direct: Contender,
  detours: readonly Contender[],
  plan: AddedLatencyPlan,
): Promise<void> {
  const { perSecond, rounds, secondsPerRound, goals } = plan;
  const ways = [direct, ...detours];
  const measured: number[][][] = ways.map(() => []);
  console.log(`\n${perSecond} per second, open loop, ${rounds} rounds of ${secondsPerRound} s each`);
  for (let round = 1; round <= rounds; round++) {
    const latencies = await inTurn(ways, round, (way) => openLoop(way, perSecond, secondsPerRound));
    for (const [index, values] of latencies.entries()) measured[index]!.push(values);
  }
  for (const [index, { name }] of ways.entries()) {
    console.log(`  ${name.padEnd(8)} ${latencyInWords(measured[index]!.flat())}`);
  }
  const added = (index: number, share: number) =>
    median(
      measured[index]!.map((values, round) => percentile(values, share) - percentile(measured[0]![round]!, share)),
    );
  for (const [index, { name }] of detours.entries()) {
    const [p50, p99] = [0.5, 0.99].map((share) => added(index + 1, share).toFixed(2));
    console.log(`  added by ${name}: p50 ${p50} ms, p99 ${p99} ms`);
  }
  const { name } = detours[0]!;
  printVerdict(`p50 added by ${name}`, added(1, 0.5), { limit: goals.p50, unit: 'ms' });
  if (goals.p99 !== undefined) printVerdict(`p99 added by ${name}`, added(1, 0.99), { limit: goals.p99, unit: 'ms' });
}
