/** Until when the gateway takes no more requests of the key, in milliseconds since 1970; 0 when it does. */
let blockedUntil = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let { promise: passed, resolve: pass } = Promise.withResolvers<void>();
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** The limit that a 429 has told, for the notice that the page shows meanwhile. */
export const limit = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): number => blockedUntil,

  reached(retryAfterSeconds: number): void {
    if (blockedUntil === 0) ({ promise: passed, resolve: pass } = Promise.withResolvers<void>());
    blockedUntil = Math.max(blockedUntil, Date.now() + retryAfterSeconds * 1_000);
    clearTimeout(timer);
    timer = setTimeout(() => {
      blockedUntil = 0;
      pass();
      tell();
    }, blockedUntil - Date.now());
    tell();
  },

  /** Resolves when requests are taken again. */
  passed(): Promise<void> {
    return blockedUntil === 0 ? Promise.resolve() : passed;
  },
};
