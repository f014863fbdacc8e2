/** Cost of an attack, e.g. `{name: 'resident memory of 60 slow readers', value: 12.4, unit: 'MB', most: 50}`. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The limit that the issue or the specification names. */
  most: number;
}

/** Prints a figure beside its limit, and fails above the limit. */
export function expectAtMost({ name, value, unit, most }: Figure): void {
  const rounded = Math.round(value * 100) / 100;
  process.stdout.write(`  figure: ${name}: ${rounded} ${unit} (at most ${most})\n`);
  if (!(value <= most)) throw new Error(`${name}: ${rounded} ${unit}, more than ${most}`);
}
