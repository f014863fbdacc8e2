import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { newUuid } from '#contracts';
import { ANNOUNCE, ANNOUNCE_ALL, DatabaseListener } from '../database/database-listener.service';
import { Database } from '../database/database.service';
import { Batcher } from '../work/batcher';
import type { DomainEvent } from './domain-event';

const TOPIC = 'events';
const REQUEST_TOPIC = 'events-wanted';
/** An instance announces for this long after another asked it to, in milliseconds. */
const REQUEST_LASTS_MS = 15_000;
/** An instance announces in one batch what it committed in this time, in milliseconds. */
const GATHER_MS = 50;
/** Ids of one notification, which holds at most 8,000 bytes. */
const IDS_PER_NOTIFICATION = 200;

/** Learns which events were committed: those of this instance whole, those of others by id. */
export interface CommittedEventsWatcher {
  here(events: readonly DomainEvent[]): void;
  elsewhere(ids: readonly string[]): void;
}

/**
 * Tells the instances that ask for it which events were committed. It announces in a statement of its own, at most 20 times
 * a second, because a transaction with NOTIFY takes a lock of the whole cluster when it commits. An announcement is lost
 * with its connection, or if the instance dies before it; a request can be lost as well.
 */
@Injectable()
export class EventAnnouncements implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(EventAnnouncements.name);
  private readonly watchers: CommittedEventsWatcher[] = [];
  private readonly instance = newUuid();
  /** `performance.now()` */
  private announcesUntil = -Infinity;
  private readonly ids = new Batcher<string>((ids) => this.announce(ids), {
    gatherMs: GATHER_MS,
    onFailure: (err) => this.logger.debug({ err }, 'Committed events could not be announced'),
  });

  constructor(
    private readonly database: Database,
    private readonly listener: DatabaseListener,
  ) {}

  onModuleInit(): void {
    this.listener.on(TOPIC, (payload) => {
      const ids = payload.split(',');
      for (const watcher of this.watchers) watcher.elsewhere(ids);
    });
    this.listener.on(REQUEST_TOPIC, (instance) => {
      if (instance !== this.instance) this.announcesUntil = performance.now() + REQUEST_LASTS_MS;
    });
  }

  /** Asks the other instances to announce what they commit in the next 15 s. */
  async request(): Promise<void> {
    await this.database.query(ANNOUNCE, [REQUEST_TOPIC, this.instance]);
  }

  /** A watcher also gets this instance's own announcements, as `elsewhere`. */
  watch(watcher: CommittedEventsWatcher): void {
    this.watchers.push(watcher);
  }

  committed(events: readonly DomainEvent[]): void {
    for (const watcher of this.watchers) watcher.here(events);
    if (performance.now() < this.announcesUntil) for (const { id } of events) this.ids.push(id);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ids.flush();
  }

  private async announce(ids: readonly string[]): Promise<void> {
    const payloads: string[] = [];
    for (let from = 0; from < ids.length; from += IDS_PER_NOTIFICATION)
      payloads.push(ids.slice(from, from + IDS_PER_NOTIFICATION).join(','));
    await this.database.query(ANNOUNCE_ALL, [TOPIC, payloads]);
  }
}
