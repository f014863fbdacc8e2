import type { Contender } from '../bench.port';
import { closedLoop, openLoop } from '../load';
import { median, percentile } from '../statistics';
import { undisturbed } from '../undisturbed';

/** What is asked directly, and the ways to it that are compared. */
export interface Detours {
  direct: Contender;
  /** Hands the answer on, and keeps no bill. */
  proxy: Contender;
  /** Writes what the gateway writes. */
  bare: Contender;
  gateway: Contender;
}

type Each<T> = Record<keyof Detours, T>;

export interface AddedLatencyPlan {
  perSecond: number;
  rounds: number;
  secondsPerRound: number;
  /** The most that the gateway may add at p99, as a multiple of what the bare one adds. */
  goal: number;
}

const SHARES = [0.5, 0.99] as const;

/**
 * Open-loop rounds of all three in turn. What a detour adds is its percentile less that of the direct calls of the same
 * round; the median over the rounds counts, so that a stall of the machine spoils one round and not the result.
 */
export async function compareAddedLatency(detours: Detours, plan: AddedLatencyPlan): Promise<void> {
  const { perSecond, rounds, secondsPerRound, goal } = plan;
  const added = eachOf<number[]>();
  const all = eachOf<number>();
  console.log(`\n${perSecond} calls per second, open loop, ${rounds} rounds of ${secondsPerRound} s each`);
  for (let round = 1; round <= rounds; round++) {
    const measured = await inTurn(detours, round, (contender) => openLoop(contender, perSecond, secondsPerRound));
    for (const name of NAMES) {
      all[name].push(...measured[name]);
      added[name].push(SHARES.map((share) => percentile(measured[name], share) - percentile(measured.direct, share)));
    }
  }
  for (const name of NAMES) {
    const [p50, p99] = SHARES.map((share) => percentile(all[name], share).toFixed(2));
    console.log(`  ${name.padEnd(8)} p50 ${p50} ms, p99 ${p99} ms`);
  }
  const of = (name: keyof Detours) => SHARES.map((_, index) => median(added[name].map((values) => values[index]!)));
  const [gateway50, gateway99] = of('gateway') as [number, number];
  console.log(`  added by the gateway: p50 ${gateway50.toFixed(2)} ms, p99 ${gateway99.toFixed(2)} ms`);
  const beside = (name: 'proxy' | 'bare', what: string) => {
    const [p50, p99] = of(name) as [number, number];
    const ratios = `gateway × ${(gateway50 / p50).toFixed(2)} and × ${(gateway99 / p99).toFixed(2)}`;
    console.log(`  added by ${what}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; ${ratios}`);
    return gateway99 / p99;
  };
  beside('proxy', 'a proxy that keeps no bill');
  const ratio = beside('bare', 'a bare one that does');
  console.log(`  goal at p99: at most ${goal} × the bare one's: ${ratio <= goal ? 'met' : 'MISSED'}`);
}

/** Closed-loop rounds of all three in turn; prints the median answers per second of each. */
export async function compareAnswers(
  detours: Detours,
  { connections, rounds, secondsPerRound }: { connections: number; rounds: number; secondsPerRound: number },
): Promise<void> {
  const rates = eachOf<number>();
  console.log(`\n${connections} connections, closed loop, ${rounds} rounds of ${secondsPerRound} s each`);
  for (let round = 1; round <= rounds; round++) {
    const measured = await inTurn(detours, round, (contender) => closedLoop(contender, connections, secondsPerRound));
    for (const name of NAMES) rates[name].push(measured[name]);
  }
  for (const name of NAMES) console.log(`  ${name.padEnd(8)} ${Math.round(median(rates[name]))}/s`);
  console.log(`  gateway to bare: ${(median(rates.gateway) / median(rates.bare)).toFixed(2)}`);
}

const NAMES = ['direct', 'proxy', 'bare', 'gateway'] as const;

function eachOf<T>(): Each<T[]> {
  return { direct: [], proxy: [], bare: [], gateway: [] };
}

/** Each round begins with another one. */
async function inTurn<T>(
  detours: Detours,
  round: number,
  measure: (contender: Contender) => Promise<T>,
): Promise<Each<T>> {
  const results: Partial<Each<T>> = {};
  for (let index = 0; index < NAMES.length; index++) {
    const name = NAMES[(index + round) % NAMES.length]!;
    results[name] = await undisturbed(
      () => measure(detours[name]),
      () => detours[name].settled(),
    );
  }
  return results as Each<T>;
}
