import { Injectable } from '@nestjs/common';
import type { Environment, EventType } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import type { LiveEvent } from './live-event';
import { NEWEST, FIND, READ, SINCE, PAGE } from './event-history.rows';
import { SettingsService } from '../core/settings/settings.service';
import { DAY_MS } from '../core/clock/timeline';
import { timeOf } from '../core/events/id-times';

/** A position in the order of events. */
export type Position = Pick<LiveEvent, 'createdAt' | 'id'>;

export interface ListedEvent extends Position {
  /** The size of the body; null if the stream does not get the event. */
  bytes: number | null;
}

/** Reads stored events. */
@Injectable()
export class EventHistory {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  /** The id of the newest event, if there is one. */
  async newest(environment: Environment): Promise<string | undefined> {
    const [row] = await this.database.query<{ id: string }>(NEWEST, [environment]);
    return row?.id;
  }

  /**
   * When an event was created; undefined if it is not kept, or belongs to the other environment. For an event that an
   * erasure removed, the time of its id.
   */
  async createdAt(environment: Environment, id: string): Promise<Date | undefined> {
    const [row] = await this.database.query<{ createdAt: Date }>(FIND, [
      id,
      environment,
      this.isKept(environment, timeOf(id)) ? timeOf(id) : null,
    ]);
    return row?.createdAt;
  }

  private isKept(environment: Environment, time: Date): boolean {
    const { event_days } = this.settings.of(environment).retention;
    return time.getTime() > this.clock.now() - event_days * DAY_MS && time.getTime() <= this.clock.now();
  }

  /** Reads events in the order of their creation. */
  read(ids: readonly string[]): Promise<LiveEvent[]> {
    return this.database.query<LiveEvent>(READ, [ids]);
  }

  async idsSince(time: Date): Promise<string[]> {
    return (await this.database.query<{ id: string }>(SINCE, [time])).map(({ id }) => id);
  }

  /**
   * Lists the next events after a position, without their bodies: at most `HISTORY_PAGE`.
   */
  page(environment: Environment, types: Iterable<EventType>, { createdAt, id }: Position): Promise<ListedEvent[]> {
    return this.database.query(PAGE, [environment, createdAt, id, [...types]]);
  }
}
