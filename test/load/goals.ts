/** One thing that a run must show. */
export interface Goal {
  name: string;
  met: boolean;
  /** The figure behind it. */
  figure: string;
}

/** The most, or with `least` the least, that is good. */
export interface Limit {
  limit: number;
  unit: string;
  least?: boolean;
}

/** Prints each goal with its figure. @throws when one was not met */
export function judge(goals: readonly Goal[]): void {
  const width = Math.max(...goals.map(({ name }) => name.length));
  for (const { name, met, figure } of goals) {
    console.log(`  ${met ? 'met    ' : 'NOT MET'}  ${name.padEnd(width)}  ${figure}`);
  }
  const missed = goals.filter(({ met }) => !met);
  if (missed.length > 0) throw new Error(`${missed.length} of ${goals.length} goals were not met`);
}

/** Prints a figure beside its goal, and whether it is met: machines differ, so a miss is no failure. */
export function printVerdict(what: string, value: number | undefined, { limit, unit, least = false }: Limit): void {
  const goal = `goal at ${least ? 'least' : 'most'} ${limit.toLocaleString('en')} ${unit}`;
  if (value === undefined) return console.log(`  ${what}: not measured here (${goal})`);
  const isMet = least ? value >= limit : value <= limit;
  const figure = value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
  console.log(`  ${what}: ${figure} ${unit} (${goal}: ${isMet ? 'met' : 'MISSED'})`);
}
