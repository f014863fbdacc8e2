/** A goal that a run must meet. */
export interface Goal {
  name: string;
  met: boolean;
  /** The measured value. */
  figure: string;
}

/** The highest acceptable value; with `least`, the lowest. */
export interface Limit {
  limit: number;
  unit: string;
  least?: boolean;
}

/** Prints each goal with its figure. @throws if a goal was not met */
export function judge(goals: readonly Goal[]): void {
  const width = Math.max(...goals.map(({ name }) => name.length));
  for (const { name, met, figure } of goals) {
    console.log(`  ${met ? 'met    ' : 'NOT MET'}  ${name.padEnd(width)}  ${figure}`);
  }
  const missed = goals.filter(({ met }) => !met);
  if (missed.length > 0) throw new Error(`${missed.length} of ${goals.length} goals were not met`);
}

/** Prints a figure, its goal and whether it is met. A miss is no failure, because machines differ. */
export function printVerdict(what: string, value: number | undefined, { limit, unit, least = false }: Limit): void {
  const goal = `goal at ${least ? 'least' : 'most'} ${limit.toLocaleString('en')} ${unit}`;
  if (value === undefined) return console.log(`  ${what}: not measured here (${goal})`);
  const isMet = least ? value >= limit : value <= limit;
  const figure = value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
  console.log(`  ${what}: ${figure} ${unit} (${goal}: ${isMet ? 'met' : 'MISSED'})`);
}
