import { use, useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react';
import { LiveContext } from './live-context';
import type { LiveEvent, LiveState } from './live-event';

const NONE: readonly LiveEvent[] = [];
const never = () => () => undefined;

export function useLiveState(): LiveState {
  const live = use(LiveContext);
  return useSyncExternalStore(live?.events.state.subscribe ?? never, () => live?.events.state.get() ?? 'connecting');
}

/** Calls it with each event, once. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const live = use(LiveContext);
  const onEvent = useEffectEvent(listener);
  useEffect(() => live?.events.subscribe(onEvent), [live]);
}

/** The events since a time in milliseconds, by when they were created; none before it is set. */
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

/** The clock of the gateway may be behind that of the viewer. */
const CLOCK_TOLERANCE_MS = 2_000;
