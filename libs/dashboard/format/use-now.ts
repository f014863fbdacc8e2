import { useSyncExternalStore } from 'react';

/** Interval of the ticks, in milliseconds. */
const TICK_MS = 10_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** All times on the page share one timer, which runs while the page shows a time. */
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

/** The current time in milliseconds since 1970. Renders the component again every 10 s. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => now);
  return Date.now();
}
