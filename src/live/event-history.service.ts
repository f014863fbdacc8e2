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
  'live-page',
  `SELECT id, environment, type, created_at AS "createdAt",
     CASE WHEN type = ANY($4::text[]) AND ${IS_NO_TEST} THEN body END AS body
   FROM events WHERE environment = $1 AND (created_at, id) > ($2::timestamptz, $3::uuid)
   ORDER BY created_at, id LIMIT ${HISTORY_PAGE}`,
);

/** A place in the order of events. */
export type Position = Pick<LiveEvent, 'createdAt' | 'id'>;

/** Reads stored events. */
@Injectable()
export class EventHistory {
  constructor(private readonly database: Database) {}

  /** The id of the newest event, if there is one. */
  async newest(environment: Environment): Promise<string | undefined> {
    const [row] = await this.database.read<{ id: string }>(NEWEST, [environment]);
    return row?.id;
  }

  /** When an event was created; undefined where it is not kept, or of the other environment. */
  async createdAt(environment: Environment, id: string): Promise<Date | undefined> {
    const [row] = await this.database.read<{ createdAt: Date }>(FIND, [id, environment]);
    return row?.createdAt;
  }

  read(ids: readonly string[]): Promise<LiveEvent[]> {
    return this.database.query<LiveEvent>(READ, [ids]);
  }

  async idsSince(time: Date): Promise<string[]> {
    return (await this.database.query<{ id: string }>(SINCE, [time])).map(({ id }) => id);
  }

  /** The next events after a position: at most `HISTORY_PAGE`, without a body where they are of another type. */
  page(
    environment: Environment,
    types: Iterable<EventType>,
    { createdAt, id }: Position,
  ): Promise<(Omit<LiveEvent, 'body'> & { body: string | null })[]> {
    return this.database.query(PAGE, [environment, createdAt, id, [...types]]);
  }
}
