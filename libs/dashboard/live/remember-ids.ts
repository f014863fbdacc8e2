/** More events than come again after a resumption. */
const KEPT = 5_000;

/** @returns a function that tells whether an id is new to it */
export function rememberIds(): (id: string) => boolean {
  const seen = new Set<string>();
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    if (seen.size > KEPT) seen.delete(seen.values().next().value!);
    return true;
  };
}
