import { Logger } from '@nestjs/common';
import {
  HEALTH_DIRECTIONS,
  type ConnectionDetails,
  type ConnectionFault,
  type HealthDirection,
  type PlatformAdapter,
} from '#platforms';
import type { AccountKey, ShownAccount } from '#contracts';
import type { Clock } from '../../core/clock/clock.service';
import type { DomainEvent } from '../../core/events/domain-event';
import type { DomainEvents } from '../../core/events/domain-events.service';
import type { IntegrationHealth } from '../health/integration-health.service';
import { ConnectionEvents } from './connection-events';
import type { IntegrationRow, IntegrationStore, StateChange } from './integration-store.service';
import { CONNECTING } from './integration.rows';

export interface RecordParts {
  store: IntegrationStore;
  health: IntegrationHealth;
  events: DomainEvents;
  clock: Clock;
  /** Id and name of an account. */
  shown: (at: AccountKey) => ShownAccount;
  /** Called whenever this instance recorded a state. */
  changed: () => void;
}

/**
 * Records a platform's connection while this instance holds the lease: the state in the row with its events, and the
 * health of both directions.
 */
export class ConnectionRecord {
  private readonly logger: Logger;
  private readonly connectionEvents: ConnectionEvents;
  /** When the connection last failed, by direction, in Unix milliseconds; the next proof clears it. */
  private readonly faults = new Map<HealthDirection, number>();
  /** State changes of one platform are recorded one after the other. */
  private recording: Promise<unknown> = Promise.resolve();
  private closed = false;

  /** @param leaseLost called when the row turns out to have another holder */
  constructor(
    readonly row: IntegrationRow,
    private readonly adapter: Pick<PlatformAdapter, 'capabilities'> & { at: AccountKey },
    private readonly parts: RecordParts,
    private readonly leaseLost: () => void,
  ) {
    this.logger = new Logger(`${ConnectionRecord.name} ${row.platform} ${row.account}`);
    this.connectionEvents = new ConnectionEvents(adapter.at, parts.shown, parts.events, parts.clock);
    this.restore();
  }

  connecting(): Promise<void> {
    return this.record({ status: 'reconnecting', reason: CONNECTING, errorCode: this.row.error_code }, []);
  }

  proven(details: ConnectionDetails): void {
    const { row, parts } = this;
    if (this.receivesByConnection) parts.health.succeeded(this.adapter.at, 'receiving');
    else this.resolveFaults();
    if (row.status === 'connected') return;
    const connectedAt = parts.clock.date();
    const { events, announced } = this.connectionEvents.connected(row, details, connectedAt);
    const change = { status: 'connected', reason: null, errorCode: null, details, connectedAt } as const;
    this.report({ ...change, announced }, events);
  }

  warning(fault: ConnectionFault): void {
    this.logger.debug({ code: fault.code }, `The platform failed: ${fault.message}`);
    const { direction, at } = this.failHealth(fault);
    // A fault that names its direction is about messages, so a proof that the platform can be called does not clear it.
    if (fault.direction === undefined) this.faults.set(direction, at);
    const events = this.connectionEvents.warning(fault);
    if (events.length > 0) this.report(undefined, events);
  }

  /** The attempt to connect, or the connection, failed. @returns whether the failure was recorded */
  failed(fault: ConnectionFault, fatal: boolean): Promise<boolean> {
    const { direction, at } = this.failHealth(fault);
    this.faults.set(direction, at);
    return this.lost(fault, fatal, true);
  }

  /** The connection was ended on request. */
  async ended(reason: string): Promise<void> {
    await this.lost({ code: 'reconnect', message: reason }, false, false);
  }

  /** Resolves when every change so far was recorded or failed. */
  async settled(): Promise<void> {
    await this.recording.catch(() => undefined);
  }

  /** Discards changes that are not recorded yet: the lease is lost. */
  close(): void {
    this.closed = true;
  }

  /** Restores the failures that earlier holders of the lease recorded. */
  private restore(): void {
    const { error_code: errorCode } = this.row;
    const errors = HEALTH_DIRECTIONS.map((direction) => {
      const { lastErrorCode, lastErrorAt } = this.parts.health.of(this.adapter.at, direction);
      return { direction, code: lastErrorCode, at: lastErrorAt };
    });
    this.connectionEvents.restore(errors);
    for (const { direction, code, at } of errors)
      if (code !== null && at !== null && code === errorCode) this.faults.set(direction, at);
  }

  private get receivesByConnection(): boolean {
    return this.adapter.capabilities.receivesBy === 'connection';
  }

  private failHealth(fault: ConnectionFault): { direction: HealthDirection; at: number } {
    const direction = fault.direction ?? (this.receivesByConnection ? 'receiving' : 'sending');
    return { direction, at: this.parts.health.failed(this.adapter.at, direction, fault) };
  }

  /** Where the platform calls us, a proof is no success of either direction, but ends the connection's own failures. */
  private resolveFaults(): void {
    for (const [direction, at] of this.faults) this.parts.health.resolved(this.adapter.at, direction, at);
    this.faults.clear();
  }

  private async lost(fault: ConnectionFault, fatal: boolean, isError: boolean): Promise<boolean> {
    const status = fatal ? 'disconnected' : 'reconnecting';
    const { events, announced } = this.connectionEvents.lost(this.row, fault, fatal, isError);
    if (events.length > 0) this.logger.warn(`${fatal ? 'Refused' : 'Lost'}: ${fault.message}`);
    const errorCode = isError ? fault.code : null;
    try {
      await this.record({ status, reason: fault.message, errorCode, announced }, events);
      return true;
    } catch (error) {
      this.connectionEvents.rollback(events);
      this.logger.warn({ err: error }, 'The lost connection could not be recorded');
      return false;
    }
  }

  /** Records in the background. After a failure, the next proof or warning records it again. */
  private report(change: StateChange | undefined, events: DomainEvent[]): void {
    const recorded = change ? this.record(change, events) : this.parts.events.record(...events);
    recorded.catch((error: unknown) => {
      this.connectionEvents.rollback(events);
      this.logger.warn({ err: error }, 'A connection state could not be recorded');
    });
  }

  private record(change: StateChange, events: DomainEvent[]): Promise<void> {
    const next = this.recording.catch(() => undefined).then(() => this.write(change, events));
    this.recording = next;
    return next;
  }

  private async write(change: StateChange, events: DomainEvent[]): Promise<void> {
    const { row, parts } = this;
    if (this.closed || (change.status === 'connected' && row.status === 'connected')) return;
    const held = await parts.store.change(row, change, events);
    if (!held) return this.leaseLost();
    row.status = change.status;
    row.reason = change.reason;
    row.error_code = change.errorCode;
    row.connected_at = change.connectedAt ?? row.connected_at;
    row.announced = change.announced ?? row.announced;
    if (change.status === 'connected') this.logger.log(`Connected as ${JSON.stringify(change.details)}`);
    parts.changed();
  }
}
