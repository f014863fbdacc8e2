import type { LiveEvent } from './live-event';

const KEPT = 500;

/** The newest events of this tab, oldest first. */
export class RecentEvents {
  private events: readonly LiveEvent[] = [];
  private readonly listeners = new Set<() => void>();

  add(event: LiveEvent): void {
    this.events = [...this.events.slice(1 - KEPT), event];
    for (const listener of this.listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): readonly LiveEvent[] => this.events;
}
