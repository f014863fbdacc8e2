import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import type { Environment, EventType } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { claimDeadline } from '../../core/work/claim-deadline';
import { inLockOrder } from './batch-statement';
import { CLAIM, EXTEND, FAULT, RELEASE } from './dispatch.rows';

/** A claimed dispatch with all that an attempt needs. */
export interface DueDispatch {
  event_id: string;
  webhook_id: string;
  environment: Environment;
  fence: number;
  attempts: number;
  retries: number;
  created_at: Date;
  event_type: EventType;
  body: string;
  /** The W3C trace context of the event's cause; undefined: the attempt belongs to the request under way. */
  traceparent?: string | null;
  url: string;
  secret: Buffer;
  /** Null once the overlap is over. */
  previous_secret: Buffer | null;
  /** Whether it was old when it was claimed. */
  is_old: boolean;
}

export type Held = Pick<DueDispatch, 'event_id' | 'webhook_id' | 'fence'>;

/** How many dispatches of a webhook may be claimed. */
export interface Places {
  all: number;
  /** How many of them may be old. */
  old: number;
}

/** Claims due dispatches in batches, and skips those that other instances have locked. Leases use PostgreSQL's clock. */
@Injectable()
export class DueDispatches {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param most dispatches of all webhooks together */
  claim(places: ReadonlyMap<string, Places>, most: number): Promise<DueDispatch[]> {
    const each = [...places.values()];
    return this.database.query<DueDispatch & QueryResultRow>(CLAIM, [
      [...places.keys()],
      each.map(({ all }) => all),
      each.map(({ old }) => old),
      claimDeadline(this.clock),
      most,
    ]);
  }

  async extend(held: readonly Held[]): Promise<void> {
    if (held.length > 0) await this.database.query(EXTEND, columnsOf(held));
  }

  /** Counts a fault of our own. The dispatch is claimed again when its lease has run out. */
  async failed(held: Held): Promise<void> {
    await this.database.query(FAULT, columnsOf([held]));
  }

  /** Releases dispatches without an attempt, or with one that does not count. */
  async release(held: readonly Held[]): Promise<void> {
    if (held.length > 0) await this.database.query(RELEASE, columnsOf(held));
  }
}

function columnsOf(held: readonly Held[]): unknown[] {
  const rows = inLockOrder(held);
  return [
    rows.map(({ event_id }) => event_id),
    rows.map(({ webhook_id }) => webhook_id),
    rows.map(({ fence }) => fence),
  ];
}
