import { use, useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react';
import { LiveContext } from './live-context';
import type { LiveEvent, LiveState } from './live-event';

const NONE: readonly LiveEvent[] = [];
const never = () => () => undefined;

export function useLiveState(): LiveState {
  const live = use(LiveContext);
  return useSyncExternalStore(live?.events.state.subscribe ?? never, () => live?.events.state.get() ?? 'connecting');
}

/** Calls the listener once with each event. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const live = use(LiveContext);
  const onEvent = useEffectEvent(listener);
  useEffect(() => live?.events.subscribe(onEvent), [live]);
}

/** The events since a time (milliseconds since 1970), oldest first; empty if `since` is undefined. */
export function useRecentEvents(since: number | undefined): readonly LiveEvent[] {
  const live = use(LiveContext);
  const events = useSyncExternalStore(live?.recent.subscribe ?? never, () => live?.recent.get() ?? NONE);
  return useMemo(
    () =>
      since === undefined
        ? NONE
        : events
            .filter(({ created_at }) => Date.parse(created_at) >= since - CLOCK_TOLERANCE_MS)
            .toSorted((one, other) => one.created_at.localeCompare(other.created_at)),
    [events, since],
  );
}

/** The gateway's clock may be behind the viewer's, by up to this many milliseconds. */
const CLOCK_TOLERANCE_MS = 2_000;
