import { Store } from '../store';
import type { LiveEvent } from './live-event';

const KEPT = 500;

/** The newest events of this tab, oldest first. */
export class RecentEvents extends Store<readonly LiveEvent[]> {
  constructor() {
    super([]);
  }

  add(event: LiveEvent): void {
    this.set([...this.get().slice(1 - KEPT), event]);
  }
}
