import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Platform } from '#contracts';
import {
  ConnectionError,
  type ConnectionDetails,
  type ConnectionFault,
  type InboundSink,
  type PlatformAdapter,
} from '#platforms';
import type { Clock } from '../core/clock/clock';
import type { DomainEvent } from '../core/events/domain-event';
import type { DomainEvents } from '../core/events/domain-events';
import { backoffMs } from './backoff';
import { LEASE_SECONDS, type IntegrationRow, type IntegrationStore, type StateChange } from './integration-store';

/** How often the lease is renewed, and how often an instance without it tries to get it, in milliseconds. */
const RENEW_MS = 3_000;

/** Why a connection attempt was ended by us. */
class Ended extends Error {}

export interface SupervisorParts {
  store: IntegrationStore;
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
  /** The last warning of this attempt: an event tells of a change, not of every repetition. */
  private warned?: string;
  private seenRequest = 0;
  private failures = 0;
  private provenAt = 0;
  private renewedAt = 0;
  /** State changes of one platform are recorded one after the other. */
  private recording: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly adapter: PlatformAdapter,
    private readonly parts: SupervisorParts,
  ) {
    this.logger = new Logger(`${PlatformSupervisor.name} ${adapter.platform}`);
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
    const renewal = setInterval(() => void this.renew(), RENEW_MS);
    try {
      await this.record({ status: 'reconnecting', reason: 'connecting', errorCode: null, fatal: false }, []);
      while (!this.stopped && this.row) await this.attempt(this.row);
    } finally {
      clearInterval(renewal);
      await this.recording.catch(() => undefined);
      if (this.row) await this.parts.store.release(this.row.platform, this.row.fence).catch(() => undefined);
      this.row = undefined;
    }
  }

  private async attempt(row: IntegrationRow): Promise<void> {
    this.interrupt = new AbortController();
    this.warned = undefined;
    const error = await this.connect(this.interrupt).catch((thrown: unknown) => thrown);
    if (this.stopped || this.row !== row) return;
    if (this.interrupt.signal.aborted && this.interrupt.signal.reason instanceof Ended) {
      await this.lost({ code: 'reconnect', message: this.interrupt.signal.reason.message }, false, false);
      return;
    }
    if (!(error instanceof ConnectionError)) this.logger.error({ err: error }, 'The adapter failed');
    const { fault, fatal, retryAfterMs = 0 } = asConnectionError(error);
    await this.lost(fault, fatal, true);
    // Whoever gave up meanwhile has ended the old pause: there must be no new one.
    if (this.stopped || this.row !== row) return;
    this.failures += 1;
    this.interrupt = new AbortController();
    // A fatal refusal is waited out until a reconnect interrupts the pause.
    this.paused = true;
    if (fatal) await untilAborted(this.interrupt.signal);
    else await this.pause(Math.max(retryAfterMs, backoffMs(this.failures)), this.interrupt.signal);
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
    this.provenAt = performance.now();
    this.failures = 0;
    if (this.row?.status === 'connected') return;
    const connectedAt = this.parts.clock.date();
    const event = this.parts.events.create('integration.connected', {
      platform: this.adapter.platform,
      environment: 'live',
      details: { ...details },
      connected_at: connectedAt.toISOString(),
    });
    this.report({ status: 'connected', reason: null, errorCode: null, fatal: false, details, connectedAt }, [event]);
  }

  private warn(fault: ConnectionFault): void {
    if (this.warned === fault.code) return;
    this.warned = fault.code;
    this.report(undefined, [this.errorEvent(fault, false)]);
  }

  /** @param isError false when the connection was ended on request */
  private async lost(fault: ConnectionFault, fatal: boolean, isError: boolean): Promise<void> {
    const { row } = this;
    if (!row) return;
    const status = fatal ? 'disconnected' : 'reconnecting';
    const events: DomainEvent[] = [];
    if (isError && row.error_code !== fault.code) {
      events.push(this.errorEvent(fault, fatal));
      this.logger.warn(`${fatal ? 'Refused' : 'Lost'}: ${fault.message}`);
    }
    if (row.status === 'connected' || (fatal && row.status !== 'disconnected')) {
      events.push(
        this.parts.events.create('integration.disconnected', {
          platform: this.adapter.platform,
          environment: 'live',
          reason: fault.message,
          last_connected_at: row.connected_at?.toISOString() ?? null,
          auto_reconnect: !fatal,
        }),
      );
    }
    await this.record({ status, reason: fault.message, errorCode: isError ? fault.code : null, fatal }, events).catch(
      (error: unknown) => this.logger.warn({ err: error }, 'The lost connection could not be recorded'),
    );
  }

  private errorEvent({ code, message }: ConnectionFault, fatal: boolean): DomainEvent {
    return this.parts.events.create('integration.error', {
      platform: this.adapter.platform,
      environment: 'live',
      error: { code, message },
      fatal,
      occurred_at: this.parts.clock.date().toISOString(),
    });
  }

  /** Records in the background; what could not be recorded is tried again with the next proof. */
  private report(change: StateChange | undefined, events: DomainEvent[]): void {
    const recorded = change ? this.record(change, events) : this.parts.events.record(...events);
    recorded.catch((error: unknown) => this.logger.warn({ err: error }, 'A connection state could not be recorded'));
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
      if (fresh.reconnect_request === this.seenRequest) return;
      this.seenRequest = fresh.reconnect_request;
      this.failures = 0;
      // An attempt that is under way already is what was asked for.
      if (this.paused || row.status === 'connected') this.interrupt.abort(new Ended('a reconnect was asked for'));
    } catch {
      // Another instance may take over as soon as the lease runs out: be gone by then.
      if (performance.now() - this.renewedAt > (LEASE_SECONDS - 2) * 1000) this.giveUp('the database is away');
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
  if (error instanceof ConnectionError) return error;
  // Its words may name hosts or statements; they belong in the log, not in a public reason.
  const message = 'an unexpected fault; the log says more';
  return new ConnectionError({ code: 'unexpected', message }, false, undefined, { cause: error });
}
