import { useSyncExternalStore } from 'react';

/** Between two ticks, in milliseconds. */
const TICK_MS = 10_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** One timer for every time on the page, as long as one is shown. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in milliseconds since 1970, which ticks. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => now);
  return Date.now();
}
