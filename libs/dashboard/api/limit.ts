import { Store } from '../store';

/** When the gateway takes the refused requests again, in milliseconds since 1970; 0 if none is refused. */
const refusedUntil = new Store(0);
let timer: ReturnType<typeof setTimeout> | undefined;

/** The limit that a 429 has told, for the notice that the page shows meanwhile. Only what was refused waits: the client repeats it. */
export const limit = {
  subscribe: refusedUntil.subscribe,
  get: refusedUntil.get,

  reached(retryAfterSeconds: number): void {
    const until = Math.max(refusedUntil.get(), Date.now() + retryAfterSeconds * 1_000);
    clearTimeout(timer);
    timer = setTimeout(() => refusedUntil.set(0), until - Date.now());
    refusedUntil.set(until);
  },
};
