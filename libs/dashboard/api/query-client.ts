import { MutationCache, QueryClient } from '@tanstack/react-query';
import { sessions } from '../session/session';

/** Answers stay fresh as long as no event says otherwise: going back to a page costs no request within this time. */
const STALE_MS = 30_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    // The client already retries requests that are safe to repeat.
    queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache(),
});

/** The whole answers of one key are forgotten when another, or none, is in use. */
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
