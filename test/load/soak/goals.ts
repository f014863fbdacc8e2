/** One thing that a run must show. */
export interface Goal {
  name: string;
  met: boolean;
  /** The figure behind it. */
  figure: string;
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
