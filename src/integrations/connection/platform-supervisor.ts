import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Platform } from '#contracts';
import {
  ConnectionError,
  HEALTH_DIRECTIONS,
  type ConnectionDetails,
  type ConnectionFault,
  type HealthDirection,
  type InboundSink,
  type PlatformAdapter,
} from '#platforms';
import { clampPause } from '#http-client';
import { backoffMs } from '../../core/clock/backoff';
import type { Clock } from '../../core/clock/clock.service';
import type { DomainEvent } from '../../core/events/domain-event';
import type { DomainEvents } from '../../core/events/domain-events.service';
import { UNEXPECTED } from '../platforms/safe-adapter';
import { ConnectionEvents } from './connection-events';
import type { IntegrationHealth } from '../health/integration-health.service';
import {
  LEASE_SECONDS,
  type IntegrationRow,
  type IntegrationStore,
  type StateChange,
} from './integration-store.service';

/** How often the lease is renewed, and how often an instance without it tries to get it, in milliseconds. */
const RENEW_MS = 3_000;
/** Between the beginnings of two attempts at the least, however many ask for one, in milliseconds. */
const LEAST_INTERVAL_MS = 1_000;
/** The pauses between attempts to connect; it never gives up. */
const BACKOFF = { baseMs: 1_000, capMs: 30_000 };

/** Why a connection attempt was ended by us. */
class Ended extends Error {}

export interface SupervisorParts {
  store: IntegrationStore;
  health: IntegrationHealth;
  events: DomainEvents;
  clock: Clock;
  sink: InboundSink;
  /** Called whenever this instance recorded a state. */
  changed: () => void;
}

/**
 * Keeps one platform connected: holds its lease, runs its adapter, judges its liveness, waits and tries again for ever.
 * After a fatal refusal nothing is called until somebody asks for a reconnect. Nothing that an adapter does ends this loop.
 */
export class PlatformSupervisor {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();
  private row?: IntegrationRow;
  /** Ends the present attempt or pause. */
  private interrupt = new AbortController();
  /** Between two attempts. */
  private paused = false;
  private seenRequest = 0;
  private failures = 0;
  private provenAt = 0;
  private renewedAt = 0;
  private readonly connectionEvents: ConnectionEvents;
  /** What the connection itself failed at last, and when: its next proof shows that this is over. */
  private readonly faults = new Map<HealthDirection, number>();
  /** State changes of one platform are recorded one after the other. */
  private recording: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly adapter: PlatformAdapter,
    private readonly parts: SupervisorParts,
  ) {
    this.logger = new Logger(`${PlatformSupervisor.name} ${adapter.platform}`);
    this.connectionEvents = new ConnectionEvents(adapter.platform, parts.events, parts.clock);
  }

  get platform(): Platform {
    return this.adapter.platform;
  }

  start(): void {
    this.loop = this.superviseForEver();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.interrupt.abort(new Ended('the process is stopping'));
    await this.loop;
  }

  /** Looks now whether a reconnect was asked for. */
  async checkRequests(): Promise<void> {
    await this.renew();
  }

  /** A pause between two attempts ends now: somebody asked for a reconnect. */
  retryNow(): void {
    this.failures = 0;
    if (this.paused) this.interrupt.abort(new Ended('a reconnect was asked for'));
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async superviseForEver(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.parts.store.ensure(this.adapter.platform);
        const row = await this.parts.store.acquire(this.adapter.platform);
        if (row) await this.hold(row);
      } catch (error) {
        this.logger.debug({ err: error }, 'The lease could not be asked for');
      }
      await this.pause(RENEW_MS, this.stopping.signal);
    }
  }

  /** Everything while the lease is ours. */
  private async hold(row: IntegrationRow): Promise<void> {
    this.row = row;
    this.renewedAt = performance.now();
    this.seenRequest = row.reconnect_request;
    this.failures = 0;
    this.restore(row);
    const renewal = setInterval(() => void this.renew(), RENEW_MS);
    try {
      await this.record({ status: 'reconnecting', reason: 'connecting', errorCode: row.error_code }, []);
      while (!this.stopped && this.row) await this.attempt(this.row);
    } finally {
      clearInterval(renewal);
      await this.recording.catch(() => undefined);
      if (this.row) await this.parts.store.release(this.row.platform, this.row.fence).catch(() => undefined);
      this.row = undefined;
    }
  }

  /** Takes up what earlier holders of the lease met. */
  private restore({ platform, error_code: errorCode }: IntegrationRow): void {
    const errors = HEALTH_DIRECTIONS.map((direction) => {
      const { lastErrorCode, lastErrorAt } = this.parts.health.of('live', platform, direction);
      return { direction, code: lastErrorCode, at: lastErrorAt };
    });
    this.connectionEvents.restore(errors);
    this.faults.clear();
    for (const { direction, code, at } of errors)
      if (code !== null && at !== null && code === errorCode) this.faults.set(direction, at);
  }

  private async attempt(row: IntegrationRow): Promise<void> {
    const startedAt = performance.now();
    const request = this.seenRequest;
    this.interrupt = new AbortController();
    const error = await this.connect(this.interrupt).catch((thrown: unknown) => thrown);
    if (this.stopped || this.row !== row) return;
    if (this.interrupt.signal.aborted && this.interrupt.signal.reason instanceof Ended) {
      await this.lost({ code: 'reconnect', message: this.interrupt.signal.reason.message }, false, false);
    } else {
      await this.failed(asConnectionError(error), request);
    }
    const restMs = LEAST_INTERVAL_MS - (performance.now() - startedAt);
    if (!this.stopped && this.row === row && restMs > 0) await this.pause(restMs, this.stopping.signal);
  }

  /** Records why an attempt failed, and waits as long as it takes until the next one may work. */
  private async failed({ fault, fatal, retryAfterMs, cause }: ConnectionError, request: number): Promise<void> {
    const { row } = this;
    if (fault.code === UNEXPECTED.code) this.logger.error({ err: cause }, 'The adapter failed');
    const direction = this.directionOf(fault);
    this.faults.set(direction, this.parts.health.failed('live', this.platform, direction, fault));
    const isRecorded = await this.lost(fault, fatal, true);
    // Whoever gave up meanwhile has ended the old pause: there must be no new one.
    if (this.stopped || this.row !== row) return;
    this.failures += 1;
    this.interrupt = new AbortController();
    // Asked for while this attempt ended: there is nothing to wait for.
    if (this.seenRequest !== request) return;
    // A fatal refusal is waited out until a reconnect interrupts the pause; not while the row still says `connected`.
    this.paused = true;
    const asked = retryAfterMs === undefined ? 0 : clampPause(retryAfterMs);
    const pauseMs = Math.max(asked, backoffMs(this.failures, BACKOFF));
    if (fatal && isRecorded) await untilAborted(this.interrupt.signal);
    else await this.pause(pauseMs, this.interrupt.signal);
    this.paused = false;
  }

  /** Rejects when the connection ends, for whatever reason. */
  private async connect(attempt: AbortController): Promise<void> {
    this.provenAt = performance.now();
    const { signal } = attempt;
    const liveness = setInterval(() => this.judge(attempt), 1_000);
    try {
      const observer = {
        proven: (details: ConnectionDetails) => void (signal.aborted || this.proven(details)),
        warning: (fault: ConnectionFault) => void (signal.aborted || this.warn(fault)),
        backlog: (waiting: number) =>
          void (signal.aborted || this.parts.health.waiting('live', this.platform, waiting)),
      };
      // An adapter that does not end when it is told to must not hold the next attempt up.
      await Promise.race([this.adapter.run(this.parts.sink, observer, signal), untilAborted(signal)]);
      if (signal.aborted) throw signal.reason;
      throw new Error('the adapter stopped by itself');
    } finally {
      clearInterval(liveness);
    }
  }

  /** Ends an attempt that has proven nothing for too long: a connection that hangs looks like a quiet one. */
  private judge(attempt: AbortController): void {
    const silentMs = performance.now() - this.provenAt;
    if (silentMs <= this.adapter.capabilities.livenessMs) return;
    const message = `nothing was heard from the platform for ${Math.round(silentMs / 1000)} s`;
    attempt.abort(new ConnectionError({ code: 'silent', message }, false));
  }

  private proven(details: ConnectionDetails): void {
    const { row } = this;
    this.provenAt = performance.now();
    this.failures = 0;
    if (!row) return;
    if (this.receivesByConnection) this.parts.health.succeeded('live', this.platform, 'receiving');
    else this.resolved();
    if (row.status === 'connected') return;
    const connectedAt = this.parts.clock.date();
    const { events, announced } = this.connectionEvents.connected(row, details, connectedAt);
    const change = { status: 'connected', reason: null, errorCode: null, details, connectedAt } as const;
    this.report({ ...change, announced }, events);
  }

  /** Where the platform calls us a proof is no success of either direction, but what the connection failed at is over. */
  private resolved(): void {
    for (const [direction, at] of this.faults) this.parts.health.resolved('live', this.platform, direction, at);
    this.faults.clear();
  }

  private warn(fault: ConnectionFault): void {
    const direction = this.directionOf(fault);
    const at = this.parts.health.failed('live', this.platform, direction, fault);
    // One that names its direction is about messages: that the platform can be called says nothing of those.
    if (fault.direction === undefined) this.faults.set(direction, at);
    const events = this.connectionEvents.warning(fault);
    if (events.length > 0) this.report(undefined, events);
  }

  /**
   * @param isError false when the connection was ended on request
   * @returns whether the row says so now
   */
  private async lost(fault: ConnectionFault, fatal: boolean, isError: boolean): Promise<boolean> {
    const { row } = this;
    if (!row) return false;
    const status = fatal ? 'disconnected' : 'reconnecting';
    const { events, announced } = this.connectionEvents.lost(row, fault, fatal, isError);
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

  private get receivesByConnection(): boolean {
    return this.adapter.capabilities.receivesBy === 'connection';
  }

  private directionOf({ direction }: ConnectionFault): HealthDirection {
    return direction ?? (this.receivesByConnection ? 'receiving' : 'sending');
  }

  /** Records in the background; what could not be recorded is tried again with the next proof. */
  private report(change: StateChange | undefined, events: DomainEvent[]): void {
    const recorded = change ? this.record(change, events) : this.parts.events.record(...events);
    recorded.catch((error: unknown) => {
      this.connectionEvents.rollback(events);
      this.logger.warn({ err: error }, 'A connection state could not be recorded');
    });
  }

  private record(change: StateChange, events: DomainEvent[]): Promise<void> {
    const next = this.recording
      .catch(() => undefined)
      .then(async () => {
        const { row } = this;
        if (!row || (change.status === 'connected' && row.status === 'connected')) return;
        const held = await this.parts.store.change(row.platform, row.fence, change, events);
        if (!held) return this.giveUp('the lease was lost');
        row.status = change.status;
        row.reason = change.reason;
        row.error_code = change.errorCode;
        row.connected_at = change.connectedAt ?? row.connected_at;
        row.announced = change.announced ?? row.announced;
        if (change.status === 'connected') this.logger.log(`Connected as ${JSON.stringify(change.details)}`);
        this.parts.changed();
      });
    this.recording = next;
    return next;
  }

  private async renew(): Promise<void> {
    const { row } = this;
    if (!row) return;
    try {
      const fresh = await this.parts.store.renew(row.platform, row.fence);
      if (!fresh) return this.giveUp('another instance took the platform over');
      this.renewedAt = performance.now();
      // A state on its way to the row may be in `fresh` already and not yet in `row`: compare them only once it is in both.
      await this.recording.catch(() => undefined);
      if (this.row === row) await this.compare(row, fresh);
    } catch {
      // Another instance may take over as soon as the lease runs out: be gone by then.
      if (performance.now() - this.renewedAt > (LEASE_SECONDS - 2) * 1000) this.giveUp('the database is away');
    }
  }

  private async compare(row: IntegrationRow, fresh: IntegrationRow): Promise<void> {
    if (fresh.reconnect_request > this.seenRequest) {
      this.seenRequest = fresh.reconnect_request;
      this.failures = 0;
      // An attempt that is under way already is what was asked for.
      if (this.paused || row.status === 'connected') this.interrupt.abort(new Ended('a reconnect was asked for'));
    } else if (row.status === 'connected' && fresh.status === 'reconnecting') {
      await this.parts.store.restate(row, this.seenRequest);
    }
  }

  private giveUp(reason: string): void {
    if (!this.row) return;
    this.logger.warn(`Gave the connection up: ${reason}`);
    this.row = undefined;
    this.interrupt.abort(new Ended(reason));
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function asConnectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError && typeof error.fault?.message === 'string') return error;
  return new ConnectionError(UNEXPECTED, false, undefined, { cause: error });
}
