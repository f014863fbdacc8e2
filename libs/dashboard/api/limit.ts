import { Store } from '../store';

/** Until when the gateway takes no more requests of the key, in milliseconds since 1970; 0 when it does. */
const blockedUntil = new Store(0);
let timer: ReturnType<typeof setTimeout> | undefined;
let { promise: passed, resolve: pass } = Promise.withResolvers<void>();

/** The limit that a 429 has told, for the notice that the page shows meanwhile. */
export const limit = {
  subscribe: blockedUntil.subscribe,
  get: blockedUntil.get,

  reached(retryAfterSeconds: number): void {
    if (blockedUntil.get() === 0) ({ promise: passed, resolve: pass } = Promise.withResolvers<void>());
    const until = Math.max(blockedUntil.get(), Date.now() + retryAfterSeconds * 1_000);
    clearTimeout(timer);
    timer = setTimeout(() => {
      pass();
      blockedUntil.set(0);
    }, until - Date.now());
    blockedUntil.set(until);
  },

  /** Resolves when requests are taken again. */
  passed(): Promise<void> {
    return blockedUntil.get() === 0 ? Promise.resolve() : passed;
  },
};
