import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { toPublicId, type Environment } from '#contracts';
import { Siblings } from '../../core/cluster/siblings.service';
import { Outage } from '../../core/database/outage.service';
import { retryUntilPersisted } from '../../core/database/retry-until-persisted';
import { Batcher } from '../../core/work/batcher';
import { Lease } from '../../core/work/lease';
import { isOwnFault } from '../../core/work/monitor/own-fault';
import type { KeyedWork } from '../../core/work/work-kind';
import { Work } from '../../core/work/work.service';
import { HostRate } from '../../core/egress/host-rate.service';
import { AttemptRecorder, type AttemptRecord } from './attempt-recorder.service';
import { AttemptRunner } from './attempt-runner.service';
import { DISPATCHES_STATE, DUE_WEBHOOKS, LEASE_SECONDS } from './dispatch.rows';
import { DueDispatches, type DueDispatch, type Places } from './due-dispatches.service';
import { InFlight, LIMIT } from './in-flight';

/** Due work whose key is a webhook. */
export const WEBHOOKS = 'webhook-dispatches';

/** An environment is busy when this part of its places is taken: dispatches then wait for their turn. */
const BUSY = 0.9;
/** The shortest time between two claims, in milliseconds: dispatches that become due meanwhile are claimed together. */
const CLAIM_INTERVAL_MS = 5;
/** How long attempts may continue after the stop was requested, in milliseconds. */
const STOP_GRACE_MS = 30_000;
/** How long recording them may take after that, in milliseconds. */
const RECORD_GRACE_MS = 2_000;

const STOPPING = new Error('the process is stopping');

/** The deliveries of one environment: its own places and its own claims, so that test receivers that hang delay no live delivery. */
interface Lane {
  inFlight: InFlight;
  /** Webhooks that may have due dispatches. */
  claims: Batcher<string>;
}

/** Delivers the due events of webhooks: claims their dispatches, makes the attempts and records them. */
@Injectable()
export class WebhookWork implements KeyedWork, OnModuleInit {
  readonly name = WEBHOOKS;
  readonly concurrency = LIMIT;
  readonly dueKeys = DUE_WEBHOOKS;
  readonly state = { sql: DISPATCHES_STATE, concurrency: LIMIT * BUSY };
  private readonly logger = new Logger(WebhookWork.name);
  private readonly lanes: Readonly<Record<Environment, Lane>>;
  private readonly stopping = new AbortController();
  private stopped?: Promise<void>;
  /** Aborted when nothing is under way any more. */
  private readonly ended = new AbortController();

  constructor(
    private readonly due: DueDispatches,
    private readonly attempts: AttemptRunner,
    private readonly recorder: AttemptRecorder,
    private readonly hosts: HostRate,
    private readonly outage: Outage,
    private readonly work: Work,
    siblings: Siblings,
  ) {
    const places = siblings.shareOf(LIMIT);
    this.lanes = { live: this.makeLane(places), test: this.makeLane(places) };
  }

  onModuleInit(): void {
    this.work.registerKeyed(this);
    const lease = new Lease(LEASE_SECONDS, () => this.extend());
    this.ended.signal.addEventListener('abort', () => lease.end());
    // Other instances take over two seconds after an outage. A single try could fail on a connection that broke in the outage.
    const extendAll = () => retryUntilPersisted(() => this.extend(), this.ended.signal).catch(() => undefined);
    this.outage.watch({ ends: () => void extendAll() });
  }

  /** Attempts begin with the claim. A retry wakes its webhook by itself. */
  async process(webhook: string, environment: Environment): Promise<undefined> {
    await this.lanes[environment].claims.add(webhook);
  }

  isWaiting(webhook: string, environment: Environment): boolean {
    return this.lanes[environment].inFlight.isWaiting(webhook);
  }

  /** The grace period begins at once, before anything is awaited. */
  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  private async end(): Promise<void> {
    const all = Object.values(this.lanes);
    this.stopping.abort(STOPPING);
    const timers = [
      setTimeout(() => all.forEach(({ inFlight }) => inFlight.abort(STOPPING)), STOP_GRACE_MS),
      setTimeout(() => this.recorder.giveUp(), STOP_GRACE_MS + RECORD_GRACE_MS),
    ];
    await Promise.all(all.map(({ claims }) => claims.flush()));
    await Promise.all(all.map(({ inFlight }) => inFlight.empty()));
    this.ended.abort();
    for (const timer of timers) clearTimeout(timer);
  }

  private makeLane(places: number): Lane {
    const claims = new Batcher<string>((webhooks) =>
      Promise.all([this.claim(new Set(webhooks), inFlight), sleep(CLAIM_INTERVAL_MS)]),
    );
    const inFlight = new InFlight(places, (webhook) => claims.push(webhook));
    return { inFlight, claims };
  }

  /** One statement for all webhooks that ask. */
  private async claim(webhooks: ReadonlySet<string>, inFlight: InFlight): Promise<void> {
    if (this.stopping.signal.aborted || this.outage.recent) return;
    const { free } = inFlight;
    const places = new Map<string, Places>();
    for (const webhook of webhooks) {
      const allowed = inFlight.placesOf(webhook);
      if (free === 0 || allowed.all === 0 || allowed.old === 0) inFlight.wait(webhook, free === 0);
      if (free > 0 && allowed.all > 0) places.set(webhook, allowed);
    }
    if (places.size === 0) return;
    const dispatches = await this.due.claim(places, free);
    if (this.stopping.signal.aborted) return this.due.release(dispatches);
    for (const dispatch of dispatches) this.start(dispatch, inFlight);
    const claimed = Map.groupBy(dispatches, ({ webhook_id }) => webhook_id);
    const isCrowded = dispatches.length >= free;
    for (const [webhook, allowed] of places) {
      const own = claimed.get(webhook) ?? [];
      const isFull = own.length >= allowed.all || own.filter(({ is_old }) => is_old).length >= allowed.old;
      if (isFull || isCrowded) inFlight.wait(webhook, isCrowded);
    }
  }

  private start(dispatch: DueDispatch, inFlight: InFlight): void {
    const { environment, url, webhook_id } = dispatch;
    inFlight.add(dispatch, async (signal, answered) => {
      let made: AttemptRecord | undefined;
      try {
        await this.hosts.turn(url, AbortSignal.any([signal, this.stopping.signal]), environment);
        made = await this.attempts.make(dispatch, signal);
        answered(made.status === 'success');
        await this.recorder.record(made);
        const { retry_after_seconds: seconds } = made;
        if (seconds !== null) this.work.wake(WEBHOOKS, environment, webhook_id, seconds * 1_000);
      } catch (error) {
        await this.putBack(dispatch, error, made);
      }
    });
  }

  private async putBack(dispatch: DueDispatch, error: unknown, made?: AttemptRecord): Promise<void> {
    if (!this.stopping.signal.aborted) {
      this.logger.error({ err: error, ...idsOf(dispatch, made) }, 'A delivery could not be made or recorded');
      if (isOwnFault(error)) await this.due.failed(dispatch).catch(() => undefined);
      return; // another attempt follows when its lease has run out
    }
    await this.due.release([dispatch]).catch((lost: unknown) => {
      this.logger.warn({ err: lost }, 'A dispatch could not be released; its lease will expire');
    });
  }

  private async extend(): Promise<boolean> {
    await this.due.extend(Object.values(this.lanes).flatMap(({ inFlight }) => inFlight.dispatches));
    return true;
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
