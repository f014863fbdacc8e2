import { Injectable } from '@nestjs/common';
import type { Environment, EventPayload } from '#contracts';
import { Database } from '../../../core/database/database.service';
import { causesOf, groupsOf, type EventGroupRow, type ProblemEventType } from './problem-events.rows';

export interface EventGroup<T extends ProblemEventType> {
  cause: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** The newest events of the group, newest first. */
  events: EventPayload<T>[];
}

/** Groups the events that report problems. Its cost does not grow with the number of events: it reads by an index. */
@Injectable()
export class ProblemEvents {
  constructor(private readonly database: Database) {}

  /** @param since the time from which a cause counts; undefined: the cause is left out */
  async groups<T extends ProblemEventType>(
    environment: Environment,
    type: T,
    since: (cause: string) => Date | undefined,
  ): Promise<EventGroup<T>[]> {
    const found = await this.database.query<{ cause: string }>(causesOf(type), [environment]);
    const looked = found.flatMap(({ cause }) => {
      const from = since(cause);
      return from ? [{ cause, from }] : [];
    });
    if (looked.length === 0) return [];
    const values = [environment, looked.map(({ cause }) => cause), looked.map(({ from }) => from)];
    const rows = await this.database.query<EventGroupRow>(groupsOf(type), values);
    return rows.map(({ cause, count, first_at: firstAt, last_at: lastAt, samples }) => ({
      cause,
      count,
      firstAt,
      lastAt,
      events: samples.map((body) => JSON.parse(body) as EventPayload<T>),
    }));
  }
}
