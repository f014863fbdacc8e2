import { Injectable } from '@nestjs/common';
import { newUuid, sanitizeText, type IntegrationStatus, type Platform } from '#contracts';
import { Database } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { ENSURE, ACQUIRE, RENEW, RELEASE, CHANGE, CONFIRM_CONNECTED, REQUEST_RECONNECT, ALL } from './integration.rows';

export interface IntegrationRow {
  platform: Platform;
  account: string;
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
  /** The status that its events announce; undefined if they announce none. */
  announced?: IntegrationStatus;
}

export type ConnectionKey = Pick<IntegrationRow, 'platform' | 'account'>;
type HeldKey = Pick<IntegrationRow, 'platform' | 'account' | 'fence'>;

/** The rows of the live accounts' connections. Only the holder of an account's lease changes its state. */
@Injectable()
export class IntegrationStore {
  /** Identifies this process as the holder of its leases. */
  private readonly instance = newUuid();

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
  ) {}

  async ensure({ platform, account }: ConnectionKey): Promise<void> {
    await this.database.query(ENSURE, [platform, account]);
  }

  all(): Promise<IntegrationRow[]> {
    return this.database.query<IntegrationRow>(ALL, []);
  }

  /** @returns the row, now held by this instance, or undefined while another one holds it */
  async acquire({ platform, account }: ConnectionKey): Promise<IntegrationRow | undefined> {
    const [row] = await this.database.query<IntegrationRow>(ACQUIRE, [platform, account, this.instance]);
    return row;
  }

  /** @returns the row, or undefined when the lease was lost */
  async renew({ platform, account, fence }: HeldKey): Promise<IntegrationRow | undefined> {
    const [row] = await this.database.query<IntegrationRow>(RENEW, [platform, account, this.instance, fence]);
    return row;
  }

  /** Gives the lease back and announces that to every instance; the first instance that acquires it connects. */
  async release({ platform, account, fence }: HeldKey): Promise<void> {
    await this.database.query(RELEASE, [platform, account, this.instance, fence]);
  }

  /** Records a state and its events in one statement. @returns false if the lease was lost: nothing was recorded */
  async change({ platform, account, fence }: HeldKey, change: StateChange, events: DomainEvent[]): Promise<boolean> {
    const [row] = await this.database.query<{ recorded: boolean }>(CHANGE, [
      platform,
      account,
      this.instance,
      fence,
      change.status,
      // These may hold texts of the platform, which PostgreSQL may not be able to store.
      change.reason && sanitizeText(change.reason),
      change.errorCode && sanitizeText(change.errorCode),
      change.details ? sanitizeDetails(change.details) : null,
      change.connectedAt ?? null,
      eventRows(events),
      change.announced ?? null,
    ]);
    if (row!.recorded) this.events.publish(events);
    return row!.recorded;
  }

  /** Repairs a row that a reconnect request left at `reconnecting` although the platform is connected. */
  async confirmConnected({ platform, account, fence }: HeldKey, seenRequest: number): Promise<void> {
    await this.database.query(CONFIRM_CONNECTED, [platform, account, this.instance, fence, seenRequest]);
  }

  async requestReconnect({ platform, account }: ConnectionKey): Promise<void> {
    await this.database.query(REQUEST_RECONNECT, [platform, account]);
  }
}

function sanitizeDetails(details: NonNullable<StateChange['details']>): string {
  return JSON.stringify(details, (_name, value: unknown) => (typeof value === 'string' ? sanitizeText(value) : value));
}
