import { Store } from '../store';

/** When the gateway accepts requests again, in milliseconds since 1970; 0: no limit is reached. */
const refusedUntil = new Store(0);
let timer: ReturnType<typeof setTimeout> | undefined;

/** The limit of the last 429, for the page's notice. Only the refused requests wait; the client repeats them. */
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
