/** In percent. Shows 100 % only if no attempt failed. */
export function rateOf(succeeded: number, total: number): string {
  if (total === 0) return '–';
  const percent = (succeeded / total) * 100;
  return `${percent < 100 ? Math.min(99.9, percent).toFixed(1) : '100'} %`;
}
