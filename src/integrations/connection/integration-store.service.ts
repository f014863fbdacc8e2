import { Injectable } from '@nestjs/common';
import { newUuid, sanitizeText, type IntegrationStatus, type Platform } from '#contracts';
import { Database, statement } from '../../core/database/database.service';
import { ENDED, isFree, leaseOf } from '../../core/database/lease';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';

/** What a change of any platform's state is announced under. */
export const INTEGRATIONS_CHANGED = 'integrations';

/** What a reconnect of a platform that is reconnecting anyway is announced under: there is no need to pause any longer. */
export const INTEGRATIONS_RETRY_NOW = 'integrations_hurried';

/** How long an instance holds a platform without saying so again. With the renewal interval: takeover within 15 s. */
export const LEASE_SECONDS = 12;

/** The reason of a platform whose holder, if it has one, has not yet heard of it. */
export const CONNECTING = 'connecting';

const COLUMNS = `platform, status, reason, error_code, details, connected_at, holder, lease_until, fence, reconnect_request,
  announced, handed_over_at`;

const ENSURE = statement(
  'integration-ensure',
  `INSERT INTO integrations (platform, status, reason) VALUES ($1, 'reconnecting', '${CONNECTING}') ON CONFLICT DO NOTHING`,
);

const ACQUIRE = statement(
  'integration-acquire',
  `UPDATE integrations SET holder = $2, fence = fence + 1, lease_until = ${leaseOf(LEASE_SECONDS)}
   WHERE platform = $1 AND ${isFree()}
   RETURNING ${COLUMNS}`,
);

const RENEW = statement(
  'integration-renew',
  `UPDATE integrations SET lease_until = ${leaseOf(LEASE_SECONDS)}
   WHERE platform = $1 AND holder = $2 AND fence = $3
   RETURNING ${COLUMNS}`,
);

const RELEASE = statement(
  'integration-release',
  `WITH released AS (
     UPDATE integrations SET holder = NULL, lease_until = NULL,
       handed_over_at = CASE WHEN status = 'connected' THEN now() ELSE handed_over_at END
     WHERE platform = $1 AND holder = $2 AND fence = $3 RETURNING platform
   )
   SELECT pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || platform) FROM released`,
);

const CHANGE = statement(
  'integration-change',
  `WITH changed AS (
     UPDATE integrations SET status = $4, reason = $5, error_code = $6, details = coalesce($7, details),
       connected_at = coalesce($8, connected_at), announced = coalesce($10, announced)
     WHERE platform = $1 AND holder = $2 AND fence = $3
     RETURNING platform
   ),
   ${insertEvents('$9', 'EXISTS (SELECT FROM changed)')}
   SELECT EXISTS (SELECT FROM changed) AS recorded, pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || $1::text)`,
);

/** Says again what CHANGE said, unless a request came meanwhile. */
const RESTATE = statement(
  'integration-restate',
  `WITH restated AS (
     UPDATE integrations SET status = 'connected', reason = NULL
     WHERE platform = $1 AND holder = $2 AND fence = $3 AND reconnect_request = $4 AND status = 'reconnecting'
     RETURNING platform
   )
   SELECT pg_notify('gateway', '${INTEGRATIONS_CHANGED}:' || platform) FROM restated`,
);

/** Counted only where it starts something: many that ask at once want one new connection, not one each. */
const REQUEST_RECONNECT = statement(
  'integration-request-reconnect',
  `WITH asked AS (
     UPDATE integrations SET reconnect_request = reconnect_request + 1, status = 'reconnecting',
       reason = 'a reconnect was asked for'
     WHERE platform = $1 AND status <> 'reconnecting' RETURNING platform
   )
   SELECT pg_notify('gateway',
     CASE WHEN EXISTS (SELECT FROM asked) THEN '${INTEGRATIONS_CHANGED}:' ELSE '${INTEGRATIONS_RETRY_NOW}:' END || $1::text)`,
);

const ALL = statement('integration-all', `SELECT ${COLUMNS} FROM integrations`);

export const END_PLATFORM_LEASES = `UPDATE integrations SET lease_until = ${ENDED} WHERE lease_until > now()`;

export interface IntegrationRow {
  platform: Platform;
  status: IntegrationStatus;
  reason: string | null;
  error_code: string | null;
  details: Record<string, string>;
  connected_at: Date | null;
  holder: string | null;
  lease_until: Date | null;
  fence: number;
  reconnect_request: number;
  announced: IntegrationStatus | null;
  handed_over_at: Date | null;
}

export interface StateChange {
  status: IntegrationStatus;
  reason: string | null;
  errorCode: string | null;
  details?: Readonly<Record<string, string>>;
  connectedAt?: Date;
  /** What the events with it tell of. */
  announced?: IntegrationStatus;
}

/** The rows of platform connections. Only the holder of a platform's lease changes its state. */
@Injectable()
export class IntegrationStore {
  /** This process, as a holder of leases. */
  private readonly instance = newUuid();

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
  ) {}

  async ensure(platform: Platform): Promise<void> {
    await this.database.query(ENSURE, [platform]);
  }

  all(): Promise<IntegrationRow[]> {
    return this.database.query<IntegrationRow>(ALL, []);
  }

  /** @returns the row, now held by this instance, or undefined while another one holds it */
  async acquire(platform: Platform): Promise<IntegrationRow | undefined> {
    const [row] = await this.database.query<IntegrationRow>(ACQUIRE, [platform, this.instance]);
    return row;
  }

  /** @returns the row, or undefined when the lease was lost */
  async renew(platform: Platform, fence: number): Promise<IntegrationRow | undefined> {
    const [row] = await this.database.query<IntegrationRow>(RENEW, [platform, this.instance, fence]);
    return row;
  }

  /** Hands the platform over: every instance is told, and the first one that acquires it connects. */
  async release(platform: Platform, fence: number): Promise<void> {
    await this.database.query(RELEASE, [platform, this.instance, fence]);
  }

  /** Records a state and the events that tell of it, in one statement, unless the lease was lost. */
  async change(platform: Platform, fence: number, change: StateChange, events: DomainEvent[]): Promise<boolean> {
    const [row] = await this.database.query<{ recorded: boolean }>(CHANGE, [
      platform,
      this.instance,
      fence,
      change.status,
      // What the platform said is in them.
      change.reason && sanitizeText(change.reason),
      change.errorCode && sanitizeText(change.errorCode),
      change.details ? sanitizeDetails(change.details) : null,
      change.connectedAt ?? null,
      this.events.rows(events),
      change.announced ?? null,
    ]);
    if (row!.recorded) this.events.publish(events);
    return row!.recorded;
  }

  /** Repairs a row that a reconnect request left at `reconnecting` although the platform is connected. */
  async restate({ platform, fence }: IntegrationRow, seenRequest: number): Promise<void> {
    await this.database.query(RESTATE, [platform, this.instance, fence, seenRequest]);
  }

  async requestReconnect(platform: Platform): Promise<void> {
    await this.database.query(REQUEST_RECONNECT, [platform]);
  }
}

function sanitizeDetails(details: NonNullable<StateChange['details']>): string {
  return JSON.stringify(details, (_name, value: unknown) => (typeof value === 'string' ? sanitizeText(value) : value));
}
