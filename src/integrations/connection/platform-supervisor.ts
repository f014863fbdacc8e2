import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { AccountKey } from '#contracts';
import type { ConnectionError, InboundSink, PlatformAdapter } from '#platforms';
import { backoffMs } from '../../core/clock/backoff';
import { Lease } from '../../core/work/lease';
import { UNEXPECTED } from '../platforms/safe-adapter';
import { untilAborted } from '../../core/clock/until-aborted';
import { ConnectionAttempt, Ended } from './connection-attempt';
import { ConnectionRecord, type RecordParts } from './connection-record';
import type { IntegrationRow } from './integration-store.service';
import { LEASE_SECONDS } from './integration.rows';

/** How often an instance without the lease tries to get it, in milliseconds. */
const ACQUIRE_MS = 3_000;
/** Shortest time between the starts of two attempts, in milliseconds, even if a user requests reconnects. */
const LEAST_INTERVAL_MS = 1_000;
/** Pause after a failed attempt; the number of attempts is unlimited. */
const BACKOFF = { baseMs: 1_000, capMs: 30_000 };

const RECONNECT = 'a reconnect was requested';

/** The adapter of one account. */
export type AccountAdapter = PlatformAdapter & { readonly at: AccountKey };

export interface SupervisorParts extends RecordParts {
  sink: InboundSink;
}

/**
 * Keeps one account connected: holds its lease, and makes attempts to connect, one after the other, until it is
 * stopped. After a fatal refusal it waits for a reconnect request. Nothing that an adapter does ends this loop.
 */
export class PlatformSupervisor {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();
  /** Set while this instance holds the lease. */
  private record?: ConnectionRecord;
  private attempt?: ConnectionAttempt;
  /** Set during the pause between two attempts; aborting it ends the pause. */
  private pausing?: AbortController;
  /** Aborted when an announcement arrives after the last attempt to acquire the lease. */
  private announced = new AbortController();
  private seenRequest = 0;
  private failures = 0;
  private renewedAt = 0;

  constructor(
    readonly adapter: AccountAdapter,
    private readonly parts: SupervisorParts,
  ) {
    this.logger = new Logger(`${PlatformSupervisor.name} ${adapter.platform} ${adapter.at.account}`);
  }

  get at(): AccountKey {
    return this.adapter.at;
  }

  start(): void {
    this.loop = this.supervise();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.interrupt('the process is stopping');
    await this.loop;
  }

  /** Checks now for a reconnect request or, without the lease, whether the lease is free. */
  async checkRequests(): Promise<void> {
    this.announced.abort();
    if (this.record) await this.renew(this.record);
  }

  /** Ends the pause between two attempts, for a reconnect request. */
  retryNow(): void {
    this.failures = 0;
    this.pausing?.abort();
  }

  private async supervise(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.announced = new AbortController();
      try {
        await this.parts.store.ensure(this.at);
        const row = await this.parts.store.acquire(this.at);
        if (row) await this.hold(row);
      } catch (error) {
        this.logger.debug({ err: error }, 'The attempt to acquire the lease failed');
      }
      await pause(ACQUIRE_MS, AbortSignal.any([this.stopping.signal, this.announced.signal]));
    }
  }

  /** Connects again and again while this instance holds the lease. */
  private async hold(row: IntegrationRow): Promise<void> {
    const record = new ConnectionRecord(row, this.adapter, this.parts, () => this.giveUp('the lease was lost'));
    this.record = record;
    this.renewedAt = performance.now();
    this.seenRequest = row.reconnect_request;
    this.failures = 0;
    const lease = new Lease(LEASE_SECONDS, () => this.renew(record));
    try {
      await record.connecting();
      while (this.holds(record)) await this.connect(record);
    } finally {
      lease.end();
      await record.settled();
      const isOurs = this.record === record;
      // Before the release: otherwise a pending renewal would find no lease and report a takeover.
      this.record = undefined;
      if (isOurs) await this.parts.store.release(row).catch(() => undefined);
    }
  }

  private holds(record: ConnectionRecord): boolean {
    return !this.stopping.signal.aborted && this.record === record;
  }

  private async connect(record: ConnectionRecord): Promise<void> {
    const startedAt = performance.now();
    const request = this.seenRequest;
    this.attempt = new ConnectionAttempt(this.adapter, this.parts.sink, {
      proven: (details) => {
        this.failures = 0;
        record.proven(details);
      },
      warning: (fault) => record.warning(fault),
      backlog: (waiting) => this.parts.health.waiting(this.at, waiting),
    });
    const end = await this.attempt.run();
    this.attempt = undefined;
    if (!this.holds(record)) return;
    if (end instanceof Ended) await record.ended(end.message);
    else await this.failed(record, end, request);
    const restMs = LEAST_INTERVAL_MS - (performance.now() - startedAt);
    if (this.holds(record) && restMs > 0) await pause(restMs, this.stopping.signal);
  }

  /** Records why an attempt failed, and waits until the next attempt is due. */
  private async failed(
    record: ConnectionRecord,
    { fault, fatal, retryAfterMs = 0, cause }: ConnectionError,
    request: number,
  ): Promise<void> {
    if (fault.code === UNEXPECTED.code) this.logger.error({ err: cause }, 'The adapter failed');
    else
      this.logger.debug(
        { code: fault.code, fatal, retry_after_ms: retryAfterMs },
        `The platform failed: ${fault.message}`,
      );
    const isRecorded = await record.failed(fault, fatal);
    // If the supervisor gave up the lease meanwhile, no new pause may begin.
    if (!this.holds(record)) return;
    this.failures += 1;
    // A reconnect was requested while this attempt ended: try again without a pause.
    if (this.seenRequest !== request) return;
    const pauseMs = Math.max(retryAfterMs, backoffMs(this.failures, BACKOFF));
    const { signal } = (this.pausing = new AbortController());
    // After a fatal refusal the pause lasts until a reconnect request, unless the refusal could not be recorded.
    await (fatal && isRecorded ? untilAborted(signal) : pause(pauseMs, signal));
    this.pausing = undefined;
  }

  /** @returns whether this instance still holds the lease */
  private async renew(record: ConnectionRecord): Promise<boolean> {
    try {
      const fresh = await this.parts.store.renew(record.row);
      if (this.record === record && !fresh) this.giveUp('another instance took over the platform');
      if (this.record !== record || !fresh) return false;
      this.renewedAt = performance.now();
      // `fresh` may hold a state whose write is not yet answered here: compare only after it is in both rows.
      await record.settled();
      if (this.record === record) await this.compare(record.row, fresh);
    } catch {
      // Give up before the lease expires: after that, another instance may take over.
      if (performance.now() - this.renewedAt > (LEASE_SECONDS - 2) * 1000) this.giveUp('the database is unavailable');
    }
    return this.record === record;
  }

  private async compare(row: IntegrationRow, fresh: IntegrationRow): Promise<void> {
    if (fresh.reconnect_request > this.seenRequest) {
      this.seenRequest = fresh.reconnect_request;
      this.failures = 0;
      // A running attempt already serves the request.
      if (this.pausing || row.status === 'connected') this.interrupt(RECONNECT);
    } else if (row.status === 'connected' && fresh.status === 'reconnecting') {
      await this.parts.store.confirmConnected(row, this.seenRequest);
    }
  }

  private giveUp(reason: string): void {
    if (!this.record) return;
    this.logger.warn(`Released the connection: ${reason}`);
    this.record.close();
    this.record = undefined;
    this.interrupt(reason);
  }

  /** Ends the attempt or the pause that is under way. */
  private interrupt(reason: string): void {
    this.attempt?.end(new Ended(reason));
    this.pausing?.abort();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
