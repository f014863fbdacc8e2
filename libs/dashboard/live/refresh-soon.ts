import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** At most one read per query in this time, in milliseconds, so that many events cost few requests of the key's limit. */
const GATHER_MS = 3_000;

const waiting = new Set<string>();

/** Invalidates a query after a pause, once for all events of the pause. React Query reads it again if it is shown. */
export function refreshSoon(client: QueryClient, queryKey: QueryKey): void {
  const name = JSON.stringify(queryKey);
  if (waiting.has(name)) return;
  waiting.add(name);
  setTimeout(() => {
    waiting.delete(name);
    void client.invalidateQueries({ queryKey });
  }, GATHER_MS);
}
