import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { toPublicId, type Environment } from '#contracts';
import type { Outage } from '../../core/database/outage.service';
import { CoalescingTask } from '../../core/work/coalescing-task';
import { isOwnFault } from '../../core/work/monitor/own-fault';
import type { HostRate } from '../guard/host-rate.service';
import type { AttemptRunner } from './attempt-runner.service';
import type { AttemptRecorder, AttemptRecord } from './attempt-recorder.service';
import type { DueDispatch, DueDispatches } from './due-dispatches.service';
import { InFlight } from './in-flight';
import { RetryAlarm } from './retry-alarm';

/** Attempts of one environment under way at once, in one process: in all, and to one webhook at most, so that a slow receiver delays only itself. */
export const LIMIT = 1_000;
const PER_WEBHOOK = 128;

/** At least this long from one look to the next, in milliseconds: what becomes due meanwhile is claimed together. */
const CLAIM_INTERVAL_MS = 5;

export const STOPPING = new Error('the process is stopping');

interface LaneParts {
  due: DueDispatches;
  attempts: AttemptRunner;
  recorder: AttemptRecorder;
  hosts: HostRate;
  outage: Outage;
  logger: Logger;
}

/** The attempts of one environment: its own places and its own claims, so that test receivers that hang delay no live delivery. */
export class DispatchLane {
  readonly inFlight = new InFlight();
  /** The last claim filled all places: there may be more for any webhook. */
  private full = false;
  /** Webhooks that had all their share at the last claim: there may be more for them. */
  private readonly filled = new Set<string>();
  private stopped = false;
  private readonly claims: CoalescingTask;
  private readonly retries = new RetryAlarm(() => this.claims.request());

  constructor(
    private readonly environment: Environment,
    private readonly parts: LaneParts,
  ) {
    this.claims = new CoalescingTask(
      () => this.claimAtIntervals(),
      (error) => parts.logger.debug({ err: error }, 'Due dispatches could not be claimed'),
    );
  }

  /** Soon claims what is due. */
  poll(): void {
    this.claims.request();
  }

  /** No new attempts; those under way go on. */
  stop(): void {
    this.stopped = true;
    this.retries.stop();
  }

  /** Resolves when nothing is under way. To be called after `stop`. */
  async empty(): Promise<void> {
    await this.claims.stop();
    await this.inFlight.empty();
  }

  private async claimAtIntervals(): Promise<void> {
    await Promise.all([this.claim(), sleep(CLAIM_INTERVAL_MS)]);
  }

  private async claim(): Promise<void> {
    const { due, outage } = this.parts;
    for (;;) {
      const free = LIMIT - this.inFlight.size;
      if (this.stopped || outage.recent || free <= 0) return;
      const slots = { perWebhook: PER_WEBHOOK, free, all: LIMIT };
      // As it is when the database is asked: attempts end meanwhile.
      const before = new Map(this.inFlight.busy);
      const { share, dispatches } = await due.claim(this.environment, slots, before);
      if (this.stopped) return due.release(dispatches);
      for (const dispatch of dispatches) this.start(dispatch);
      this.full = dispatches.length === free;
      this.filled.clear();
      for (const webhook of filledBy(before, dispatches, share)) {
        this.filled.add(webhook);
        // No attempt of this webhook is left whose end would ask again.
        if (!this.inFlight.busy.has(webhook)) this.claims.request();
      }
      if (!this.full) return;
    }
  }

  private start(dispatch: DueDispatch): void {
    const { hosts, attempts, recorder } = this.parts;
    const attempt = async (signal: AbortSignal, answered: () => void) => {
      let made: AttemptRecord | undefined;
      try {
        await hosts.turn(dispatch.url, signal, this.environment);
        made = await attempts.make(dispatch, signal);
        answered();
        this.refill(dispatch);
        await recorder.record(made);
        this.remember(made);
      } catch (error) {
        await this.putBack(dispatch, error, made);
      }
      this.refill(dispatch);
    };
    this.inFlight.add(dispatch, attempt);
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
    const { due, logger } = this.parts;
    if (error !== STOPPING) {
      logger.error({ err: error, ...idsOf(dispatch, made) }, 'A delivery could not be made or recorded');
      if (isOwnFault(error)) await due.failed(dispatch).catch(() => undefined);
      return; // when its lease runs out, it is made again
    }
    await due.release([dispatch]).catch((lost: unknown) => {
      logger.warn({ err: lost }, 'A dispatch could not be released; its lease will run out');
    });
  }
}

/** The fields of a log line about a dispatch. */
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
