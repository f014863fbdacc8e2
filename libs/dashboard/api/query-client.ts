import { MutationCache, QueryClient } from '@tanstack/react-query';
import { sessions } from '../session/session';

/** Within this time, going back to a page makes no request, unless an event has invalidated the data. */
const STALE_MS = 30_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    // The client already retries requests that are safe to repeat.
    queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache(),
});

/** Clears the cache when the key changes or the person signs out. */
let shown = identity();
sessions.subscribe(() => {
  if (identity() === shown) return;
  shown = identity();
  queryClient.clear();
});

function identity(): string | undefined {
  const { session } = sessions.get();
  return session?.keys[session.environment];
}
