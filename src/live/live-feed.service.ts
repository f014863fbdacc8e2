import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../core/clock/clock.service';
import { DatabaseListener } from '../core/database/database-listener.service';
import { EventAnnouncements } from '../core/events/event-announcements.service';
import { Timers } from '../core/work/timers/timers.service';
import { EventHistory } from './event-history.service';
import type { LiveEvent } from './live-event';
import { RecentIds } from './recent-ids';

/** An event commits at most this long after it was created, in milliseconds. */
export const LATEST_COMMIT_MS = 60_000;
const SEARCH_MS = 5_000;
/** How far back the regular search looks, in milliseconds: an instance that dies does not announce its last commits. */
const SEARCH_BACK_MS = 15_000;
/** Longer than any search looks back, so that no search delivers an event again. */
const REMEMBERED_MS = LATEST_COMMIT_MS + SEARCH_BACK_MS;

type Receiver = (events: readonly LiveEvent[]) => void;

/** The events that any instance commits, each delivered once, as they come, while this instance has streams. */
@Injectable()
export class LiveFeed implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(LiveFeed.name);
  /** Undefined while this instance has no streams: it then remembers nothing. */
  private seen?: RecentIds;
  /** Reads follow each other, so that the later one knows what the earlier one delivered. */
  private reading: Promise<void> = Promise.resolve();
  private readonly receivers: Receiver[] = [];
  private searchBackMs = SEARCH_BACK_MS;
  private started: Promise<void> = Promise.resolve();

  constructor(
    private readonly announcements: EventAnnouncements,
    private readonly history: EventHistory,
    private readonly listener: DatabaseListener,
    private readonly clock: Clock,
    private readonly timers: Timers,
  ) {}

  onModuleInit(): void {
    this.announcements.watch({
      here: (events) => this.pass(events),
      elsewhere: (ids) => this.request(ids),
    });
    const search = this.timers.every('Search for unannounced events', SEARCH_MS, () => this.search(), {
      scope: 'process',
    });
    this.listener.onResync(() => {
      this.searchBackMs = LATEST_COMMIT_MS;
      void search.run();
    });
  }

  onEvents(receiver: Receiver): void {
    this.receivers.push(receiver);
  }

  /** Delivers events until `stop`. The first streams must wait for `ready`. */
  start(): void {
    this.seen = new RecentIds(REMEMBERED_MS);
    this.started = this.noteStored(this.seen);
  }

  stop(): void {
    this.seen = undefined;
  }

  /** Resolves when the feed knows all events that were committed before `start`, which it does not deliver. */
  ready(): Promise<void> {
    return this.started;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.reading;
  }

  private async noteStored(seen: RecentIds): Promise<void> {
    await this.announcements.request();
    for (const id of await this.history.idsSince(this.timeBefore(REMEMBERED_MS))) seen.add(id);
  }

  private pass(events: readonly LiveEvent[]): void {
    const fresh = events.filter(({ id }) => this.seen?.add(id));
    if (fresh.length === 0) return;
    for (const receive of this.receivers) receive(fresh);
  }

  private request(ids: readonly string[]): void {
    const { seen } = this;
    if (!seen) return;
    this.reading = this.reading
      .then(() => this.read(ids, seen))
      .catch((err: unknown) =>
        this.logger.debug({ err }, 'Announced events could not be read; the search will find them'),
      );
  }

  /** @param seen the memory of the streams that wait: those that were opened after they had ended do not request these events */
  private async read(ids: readonly string[], seen: RecentIds): Promise<void> {
    const unknown = ids.filter((id) => !seen.has(id));
    if (this.seen !== seen || unknown.length === 0) return;
    this.pass(await this.history.read(unknown));
    // Events that are not for streams need not be read again.
    for (const id of unknown) seen.add(id);
  }

  private async search(): Promise<void> {
    if (!this.seen) return;
    await this.started;
    await this.announcements.request();
    this.request(await this.history.idsSince(this.timeBefore(this.searchBackMs)));
    this.searchBackMs = SEARCH_BACK_MS;
  }

  private timeBefore(ms: number): Date {
    return new Date(this.clock.now() - ms);
  }
}
