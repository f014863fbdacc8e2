/** Prints a figure beside its goal. @param limit the most, or with `least` the least, that is good */
export function printVerdict(
  what: string,
  value: number,
  { limit, unit, least = false }: { limit: number; unit: string; least?: boolean },
): void {
  const isMet = least ? value >= limit : value <= limit;
  const figure = value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
  console.log(
    `  ${what}: ${figure} ${unit} (goal at ${least ? 'least' : 'most'} ${limit} ${unit}: ${isMet ? 'met' : 'MISSED'})`,
  );
}
