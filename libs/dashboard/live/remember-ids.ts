/** More events than a resumed stream repeats. */
const KEPT = 5_000;

/** @returns a function that returns whether it sees an id for the first time */
export function rememberIds(): (id: string) => boolean {
  const seen = new Set<string>();
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    if (seen.size > KEPT) seen.delete(seen.values().next().value!);
    return true;
  };
}
