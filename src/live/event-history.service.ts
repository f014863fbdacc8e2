import { Injectable } from '@nestjs/common';
import type { Environment, EventType } from '#contracts';
import { Database, statement } from '../core/database/database.service';
import type { LiveEvent } from './live-event';

/** Events that one statement looks at. */
export const HISTORY_PAGE = 200;

/** A webhook's test event is for its receiver alone. Only `system.health` can have the field, at whose values nothing else is `true`. */
const IS_NO_TEST = `NOT (type = 'system.health' AND body LIKE '%"test":true%')`;

const NEWEST = statement(
  'live-newest',
  'SELECT id FROM events WHERE environment = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
);
const FIND = statement('live-find', 'SELECT created_at AS "createdAt" FROM events WHERE id = $1 AND environment = $2');
const READ = statement(
  'live-read',
  `SELECT id, environment, type, body, created_at AS "createdAt" FROM events
   WHERE id = ANY($1::uuid[]) AND ${IS_NO_TEST} ORDER BY created_at, id`,
);
const SINCE = statement(
  'live-since',
  `SELECT id FROM events WHERE environment IN ('live', 'test') AND created_at >= $1`,
);
/** It looks at a page of events of any type: a search for rare ones would take as long as there are others. */
const PAGE = statement(
  'live-page-sizes',
  `SELECT id, created_at AS "createdAt",
     CASE WHEN type = ANY($4::text[]) AND ${IS_NO_TEST} THEN octet_length(body) END AS bytes
   FROM events WHERE environment = $1 AND (created_at, id) > ($2::timestamptz, $3::uuid) AND created_at < coalesce($5::timestamptz, 'infinity')
   ORDER BY created_at, id LIMIT ${HISTORY_PAGE}`,
);

/** A place in the order of events. */
export type Position = Pick<LiveEvent, 'createdAt' | 'id'>;

/** An event as a page lists it. */
export interface ListedEvent extends Position {
  /** The size of its body; null if the stream does not get it. */
  bytes: number | null;
}

/** Reads stored events. */
@Injectable()
export class EventHistory {
  constructor(private readonly database: Database) {}

  /** The id of the newest event, if there is one. */
  async newest(environment: Environment): Promise<string | undefined> {
    const [row] = await this.database.query<{ id: string }>(NEWEST, [environment]);
    return row?.id;
  }

  /** When an event was created; undefined where it is not kept, or of the other environment. */
  async createdAt(environment: Environment, id: string): Promise<Date | undefined> {
    const [row] = await this.database.query<{ createdAt: Date }>(FIND, [id, environment]);
    return row?.createdAt;
  }

  /** In the order of their creation. */
  read(ids: readonly string[]): Promise<LiveEvent[]> {
    return this.database.query<LiveEvent>(READ, [ids]);
  }

  async idsSince(time: Date): Promise<string[]> {
    return (await this.database.query<{ id: string }>(SINCE, [time])).map(({ id }) => id);
  }

  /**
   * Lists the next events after a position, without their bodies: at most `HISTORY_PAGE`.
   * @param until only events that were created before; undefined: all
   */
  page(
    environment: Environment,
    types: Iterable<EventType>,
    { createdAt, id }: Position,
    until?: Date,
  ): Promise<ListedEvent[]> {
    return this.database.query(PAGE, [environment, createdAt, id, [...types], until ?? null]);
  }
}
