import { setTimeout as sleep } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { toPublicId } from '#contracts';
import { Outage } from '../../core/database/outage.service';
import { retryUntilPersisted } from '../../core/database/retry-until-persisted';
import { CoalescingTask } from '../../core/jobs/coalescing-task';
import { DueWork } from '../../core/jobs/due-work.service';
import { DueWorkMonitor } from '../../core/jobs/monitor/due-work-monitor.service';
import { isOwnFault } from '../../core/jobs/monitor/own-fault';
import { runDetached } from '../../core/observability/tracing/work-context';
import { AttemptRunner } from './attempt-runner.service';
import {
  DISPATCHES_STATE,
  DueDispatches,
  HAS_DUE_DISPATCH,
  LEASE_SECONDS,
  type DueDispatch,
} from './due-dispatches.service';
import { HostRate } from '../guard/host-rate.service';
import { InFlight } from './in-flight';
import { AttemptRecorder, type AttemptRecord } from './attempt-recorder.service';
import { RetryAlarm } from './retry-alarm';

/** Attempts under way at once, in one process: in all, and to one webhook at most, so that a slow receiver delays only itself. */
const LIMIT = 1_000;
const PER_WEBHOOK = 128;

/** An instance with this part of its places taken is busy: what waits, waits for its turn. */
const BUSY = 0.9;

/** At least this long from one look to the next, in milliseconds: what becomes due meanwhile is claimed together. */
const CLAIM_INTERVAL_MS = 5;
const EXTEND_MS = (LEASE_SECONDS * 1000) / 3;
/** How long attempts may go on after the stop was asked for, in milliseconds. */
const STOP_GRACE_MS = 30_000;
/** What recording them may take then. */
const RECORD_GRACE_MS = 2_000;

const STOPPING = new Error('the process is stopping');

/**
 * Delivers what is due. Rows are the truth: signals, and the alarm for retries, save waiting for the sweep, which each
 * second finds what a crash, a flushed queue or a lost notification left, and retries that another process recorded.
 */
@Injectable()
export class Dispatcher implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly inFlight = new InFlight();
  private timers: NodeJS.Timeout[] = [];
  /** The last claim filled all places: there may be more for anyone. */
  private full = false;
  /** Webhooks that had all their share at the last claim: there may be more for them. */
  private readonly filled = new Set<string>();
  private stopped = false;
  /** Aborted when nothing is under way any more. */
  private readonly ended = new AbortController();
  private readonly claims = new CoalescingTask(
    () => this.claimAtIntervals(),
    (error) => this.logger.debug({ err: error }, 'Due dispatches could not be claimed'),
  );
  private readonly retries = new RetryAlarm(() => this.claims.request());

  constructor(
    private readonly due: DueDispatches,
    private readonly attempts: AttemptRunner,
    private readonly recorder: AttemptRecorder,
    private readonly hosts: HostRate,
    private readonly outage: Outage,
    monitor: DueWorkMonitor,
    work: DueWork,
  ) {
    work.sweepFor(HAS_DUE_DISPATCH, () => this.claims.request());
    monitor.watch({ kind: 'webhook-dispatches', state: DISPATCHES_STATE, concurrency: LIMIT * BUSY });
  }

  onModuleInit(): void {
    // What is under way here is still ours, although its lease may have run out: no other instance takes it over yet.
    this.outage.watch({ ends: () => void this.extendAll() });
  }

  /** Soon claims what is due. */
  poll(): void {
    this.claims.request();
  }

  onApplicationBootstrap(): void {
    this.timers = [setInterval(() => void this.extend(EXTEND_MS / 2), EXTEND_MS)];
  }

  /** Before anything waits for its own end: the grace begins with the signal. */
  onModuleDestroy(): void {
    this.stopped = true;
    this.retries.stop();
    this.hosts.close(STOPPING);
    this.timers.push(setTimeout(() => this.inFlight.abort(STOPPING), STOP_GRACE_MS));
    this.timers.push(setTimeout(() => this.recorder.giveUp(), STOP_GRACE_MS + RECORD_GRACE_MS));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.claims.stop();
    await this.inFlight.empty();
    this.ended.abort();
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async claimAtIntervals(): Promise<void> {
    await Promise.all([this.claim(), sleep(CLAIM_INTERVAL_MS)]);
  }

  private async claim(): Promise<void> {
    for (;;) {
      const free = LIMIT - this.inFlight.size;
      if (this.stopped || this.outage.recent || free <= 0) return;
      // As it is when the database is asked: attempts end meanwhile.
      const before = new Map(this.inFlight.busy);
      const { share, dispatches } = await this.due.claim({ perWebhook: PER_WEBHOOK, free, all: LIMIT }, before);
      if (this.stopped) return this.due.release(dispatches);
      for (const dispatch of dispatches) this.start(dispatch);
      this.full = dispatches.length === free;
      this.filled.clear();
      for (const webhook of filledBy(before, dispatches, share)) {
        this.filled.add(webhook);
        // Of whose attempts none is left to end and ask again.
        if (!this.inFlight.busy.has(webhook)) this.claims.request();
      }
      if (!this.full) return;
    }
  }

  private start(dispatch: DueDispatch): void {
    const attempt = async (signal: AbortSignal, answered: () => void) => {
      let made: AttemptRecord | undefined;
      try {
        await this.hosts.turn(dispatch.url, signal);
        made = await this.attempts.make(dispatch, signal);
        answered();
        this.refill(dispatch);
        await this.recorder.record(made);
        this.remember(made);
      } catch (error) {
        await this.putBack(dispatch, error, made);
      }
      this.refill(dispatch);
    };
    runDetached(() => this.inFlight.add(dispatch, attempt));
  }

  /** A second late would be as much again where the schedule begins with seconds. */
  private remember({ retry_after_seconds: seconds }: AttemptRecord): void {
    if (!this.stopped && seconds !== null) this.retries.after(seconds * 1000);
  }

  /** A place is free again: what waits for it takes it, with others by one claim. */
  private refill({ webhook_id }: DueDispatch): void {
    if (!this.stopped && (this.full || this.filled.has(webhook_id))) this.claims.request();
  }

  private async putBack(dispatch: DueDispatch, error: unknown, made?: AttemptRecord): Promise<void> {
    if (error !== STOPPING) {
      this.logger.error({ err: error, ...idsOf(dispatch, made) }, 'A delivery could not be made or recorded');
      if (isOwnFault(error)) await this.due.failed(dispatch).catch(() => undefined);
      return; // when its lease runs out, it is made again
    }
    await this.due.release([dispatch]).catch((lost: unknown) => {
      this.logger.warn({ err: lost }, 'A dispatch could not be released; its lease will run out');
    });
  }

  /** Others wait two seconds after an outage, and then take over: one try could meet a connection that broke meanwhile. */
  private async extendAll(): Promise<void> {
    const extend = () => this.due.extend(this.inFlight.olderThan(0));
    await retryUntilPersisted(extend, this.ended.signal).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'Leases could not be extended');
    });
  }

  private async extend(olderThanMs: number): Promise<void> {
    try {
      await this.due.extend(this.inFlight.olderThan(olderThanMs));
    } catch (error) {
      // The leases run out by themselves if the database stays away; the fence protects the next holder.
      this.logger.debug({ err: error }, 'Leases could not be extended');
    }
  }
}

/** What a log line about a dispatch carries. */
function idsOf({ webhook_id, event_id, traceparent }: DueDispatch, made: AttemptRecord | undefined) {
  // https://www.w3.org/TR/trace-context/#traceparent-header
  const traceId = traceparent?.split('-')[1];
  return {
    webhook_id: toPublicId('webhook', webhook_id),
    event_id: toPublicId('event', event_id),
    ...(made && { delivery_id: toPublicId('delivery', made.id) }),
    ...(traceId !== undefined && { trace_id: traceId }),
  };
}

/** The webhooks that now have all their share under way, so that more of theirs may be due. */
function filledBy(before: ReadonlyMap<string, number>, claimed: readonly DueDispatch[], share: number): string[] {
  const counts = new Map(before);
  for (const { webhook_id } of claimed) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= share).map(([webhook]) => webhook);
}
