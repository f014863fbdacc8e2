import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../core/clock/clock.service';
import { DatabaseListener } from '../core/database/database-listener.service';
import { EventAnnouncements } from '../core/events/event-announcements.service';
import { CoalescingTask } from '../core/jobs/coalescing-task';
import { PeriodicJobs } from '../core/jobs/periodic-jobs.service';
import { EventHistory } from './event-history.service';
import type { LiveEvent } from './live-event';
import { RecentIds } from './recent-ids';

/** An event commits at most this long after it was created, in milliseconds. */
export const LATEST_COMMIT_MS = 60_000;
const SEARCH_MS = 5_000;
/** How far back the regular search looks: an instance that dies does not announce what it committed just before. */
const SEARCH_BACK_MS = 15_000;

type Receiver = (events: readonly LiveEvent[]) => void;

/** The events that any instance commits, each once, as they come. */
@Injectable()
export class LiveFeed implements OnModuleInit, BeforeApplicationShutdown {
  /** A receiver wants events: without one, this instance only remembers ids. */
  active = false;
  private readonly logger = new Logger(LiveFeed.name);
  private readonly seen = new RecentIds(LATEST_COMMIT_MS + SEARCH_BACK_MS);
  private readonly wanted = new Set<string>();
  private readonly reading = new CoalescingTask(
    () => this.readWanted(),
    (err) => this.logger.debug({ err }, 'Announced events could not be read; the search finds them'),
  );
  private readonly receivers: Receiver[] = [];
  private startedAt = 0;
  private searchBackMs = SEARCH_BACK_MS;

  constructor(
    private readonly announcements: EventAnnouncements,
    private readonly history: EventHistory,
    private readonly listener: DatabaseListener,
    private readonly clock: Clock,
    private readonly jobs: PeriodicJobs,
  ) {}

  onModuleInit(): void {
    this.startedAt = this.clock.now();
    this.announcements.watch({
      here: (events) => this.pass(events),
      elsewhere: (ids) => this.want(ids),
    });
    const search = this.jobs.every('The search for events that were not announced', SEARCH_MS, () => this.search());
    this.listener.onResync(() => {
      this.searchBackMs = LATEST_COMMIT_MS;
      void search.run();
    });
  }

  onEvents(receiver: Receiver): void {
    this.receivers.push(receiver);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.reading.stop();
  }

  private pass(events: readonly LiveEvent[]): void {
    const fresh = events.filter(({ id }) => this.seen.add(id));
    if (fresh.length === 0) return;
    for (const receive of this.receivers) receive(fresh);
  }

  private want(ids: readonly string[]): void {
    const unseen = ids.filter((id) => !this.seen.has(id));
    if (unseen.length === 0) return;
    if (!this.active) return unseen.forEach((id) => this.seen.add(id));
    for (const id of unseen) this.wanted.add(id);
    this.reading.request();
  }

  private async readWanted(): Promise<void> {
    const ids = [...this.wanted];
    this.wanted.clear();
    const events = await this.history.read(ids);
    this.pass(events);
    // What is not for streams need not be read again.
    for (const id of ids) this.seen.add(id);
  }

  private async search(): Promise<void> {
    const isRegular = this.searchBackMs === SEARCH_BACK_MS;
    if (isRegular && !this.active) return;
    const since = Math.max(this.clock.now() - this.searchBackMs, this.startedAt);
    this.want(await this.history.idsSince(new Date(since)));
    this.searchBackMs = SEARCH_BACK_MS;
  }
}
