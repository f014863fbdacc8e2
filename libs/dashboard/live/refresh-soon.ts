import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** At most one reading in this time, in milliseconds: many events at once cost few of the key's requests. */
const GATHER_MS = 3_000;

const waiting = new Set<string>();

/** Reads anew what an event has changed, if it is shown, together with what the next events change. */
export function refreshSoon(client: QueryClient, queryKey: QueryKey): void {
  const name = JSON.stringify(queryKey);
  if (waiting.has(name)) return;
  waiting.add(name);
  setTimeout(() => {
    waiting.delete(name);
    void client.invalidateQueries({ queryKey });
  }, GATHER_MS);
}
