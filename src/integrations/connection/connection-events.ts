import { SEND_FAILURES, type AccountKey, type IntegrationStatus, type ShownAccount } from '#contracts';
import type { ConnectionDetails, ConnectionFault, HealthDirection } from '#platforms';
import type { Clock } from '../../core/clock/clock.service';
import type { DomainEvent } from '../../core/events/domain-event';
import type { DomainEvents } from '../../core/events/domain-events.service';
import type { IntegrationRow } from './integration-store.service';

/** An error gets a new event if it did not occur for this many milliseconds: flapping and retries repeat sooner. */
const FORGOTTEN_AFTER_MS = 600_000;

/** The events of a state change, and the state that subscribers know afterwards. */
export interface Announcement {
  events: DomainEvent[];
  announced?: IntegrationStatus;
}

/**
 * Creates the events of a platform's connection, for changes only. The row holds the last announced state, so that
 * neither a restart nor a takeover by another instance repeats an event.
 */
export class ConnectionEvents {
  /** When each error last occurred, with an event or without, in Unix milliseconds. */
  private readonly errorTimes = new Map<string, number>();

  constructor(
    private readonly at: AccountKey,
    private readonly shown: (at: AccountKey) => ShownAccount,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** An account may be renamed at any time. */
  private get about() {
    return { platform: this.at.platform, account: this.shown(this.at), environment: this.at.environment };
  }

  /** Restores the errors that earlier holders of the lease recorded. @param errors `at` in Unix milliseconds */
  restore(errors: readonly { direction: HealthDirection; code: string | null; at: number | null }[]): void {
    this.errorTimes.clear();
    for (const { direction, code, at } of errors) {
      if (code === null || at === null) continue;
      // A failed send causes no event of the connection, although some of its codes are the same.
      if (direction === 'sending' && Object.hasOwn(SEND_FAILURES, code)) continue;
      this.errorTimes.set(code, at);
    }
  }

  /** For events that could not be recorded: their errors get an event when they occur again. */
  rollback(events: readonly DomainEvent[]): void {
    for (const { data } of events) if ('error' in data) this.errorTimes.delete((data.error as ConnectionFault).code);
  }

  connected({ announced }: IntegrationRow, details: ConnectionDetails, connectedAt: Date): Announcement {
    if (announced === 'connected') return { events: [] };
    const event = this.events.create('integration.connected', {
      ...this.about,
      details: { ...details },
      connected_at: connectedAt.toISOString(),
    });
    return { events: [event], announced: 'connected' };
  }

  /** @param isError false when the connection was ended on request */
  lost(row: IntegrationRow, fault: ConnectionFault, fatal: boolean, isError: boolean): Announcement {
    const isOngoing = row.error_code === fault.code;
    const events = isError ? this.error(fault, fatal, isOngoing) : [];
    if (row.announced !== 'connected' && !(fatal && row.announced !== 'disconnected')) return { events };
    const disconnected = this.events.create('integration.disconnected', {
      ...this.about,
      reason: fault.message,
      last_connected_at: row.connected_at?.toISOString() ?? null,
      auto_reconnect: !fatal,
    });
    return { events: [...events, disconnected], announced: fatal ? 'disconnected' : 'reconnecting' };
  }

  /** A non-fatal, possibly ongoing error: the connection stays. */
  warning(fault: ConnectionFault): DomainEvent[] {
    return this.error(fault, false, false);
  }

  private error({ code, message }: ConnectionFault, fatal: boolean, isOngoing: boolean): DomainEvent[] {
    const now = this.clock.now();
    const before = this.errorTimes.get(code);
    this.errorTimes.set(code, now);
    if (isOngoing || (before !== undefined && now - before < FORGOTTEN_AFTER_MS)) return [];
    const event = this.events.create('integration.error', {
      ...this.about,
      error: { code, message },
      fatal,
      occurred_at: new Date(now).toISOString(),
    });
    return [event];
  }
}
