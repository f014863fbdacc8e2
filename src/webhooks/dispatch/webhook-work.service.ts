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
import { HostRate } from '../guard/host-rate.service';
import { AttemptRecorder, type AttemptRecord } from './attempt-recorder.service';
import { AttemptRunner } from './attempt-runner.service';
import { DISPATCHES_STATE, DUE_WEBHOOKS, LEASE_SECONDS } from './dispatch.rows';
import { DueDispatches, type DueDispatch } from './due-dispatches.service';
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

/** A job that claims the due dispatches of a webhook. */
interface Claiming {
  readonly webhook: string;
  /** The attempts of this job that are under way. */
  readonly attempts: Set<Promise<void>>;
  /** The last claim got as many dispatches as it was allowed to: more may be due. */
  isFull: boolean;
  /** Whether a dispatch may have become due since the last claim. */
  again: boolean;
}

/** The deliveries of one environment: its own places and its own claims, so that test receivers that hang delay no live delivery. */
interface Lane {
  inFlight: InFlight;
  claims: Batcher<Claiming>;
  /** By webhook. */
  claiming: Map<string, Claiming>;
}

/** Delivers the due events of a webhook: claims its dispatches, makes the attempts and records them, in batches of many webhooks. */
@Injectable()
export class WebhookWork implements KeyedWork, OnModuleInit {
  readonly name = WEBHOOKS;
  readonly concurrency = LIMIT;
  readonly dueKeys = DUE_WEBHOOKS;
  readonly state = { sql: DISPATCHES_STATE, concurrency: LIMIT * BUSY };
  private readonly logger = new Logger(WebhookWork.name);
  private readonly lanes: Readonly<Record<Environment, Lane>>;
  /** Webhooks with a retry that this process planned. */
  private readonly retrying = new Set<string>();
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
    private readonly siblings: Siblings,
  ) {
    this.lanes = { live: this.makeLane(), test: this.makeLane() };
  }

  onModuleInit(): void {
    this.work.registerKeyed(this);
    const lease = new Lease(LEASE_SECONDS, () => this.extend((LEASE_SECONDS * 1_000) / 6));
    this.ended.signal.addEventListener('abort', () => lease.end());
    // Other instances take over two seconds after an outage. A single try could fail on a connection that broke in the outage.
    const extendAll = () => retryUntilPersisted(() => this.extend(0), this.ended.signal).catch(() => undefined);
    this.outage.watch({ ends: () => void extendAll() });
  }

  async process(webhook: string, environment: Environment): Promise<number | undefined> {
    const { claiming, inFlight } = this.lanes[environment];
    const known = claiming.get(webhook);
    if (known) {
      known.again = true;
      inFlight.wake(webhook);
      return undefined;
    }
    const job: Claiming = { webhook, attempts: new Set(), isFull: false, again: true };
    claiming.set(webhook, job);
    try {
      await this.claimAll(job, this.lanes[environment]);
    } finally {
      // A later job claims dispatches that become due during these attempts.
      claiming.delete(webhook);
    }
    await Promise.all(job.attempts);
    if (!this.retrying.has(webhook) || this.stopped) return undefined;
    const ms = await this.due.nextIn(webhook);
    if (ms === undefined) this.retrying.delete(webhook);
    return ms;
  }

  isWaiting(webhook: string, environment: Environment): boolean {
    return this.lanes[environment].claiming.has(webhook);
  }

  /** The grace period begins at once, before anything is awaited. */
  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  private async end(): Promise<void> {
    const all = Object.values(this.lanes);
    this.hosts.close(STOPPING);
    for (const { inFlight } of all) inFlight.wakeAll();
    const timers = [
      setTimeout(() => all.forEach(({ inFlight }) => inFlight.abort(STOPPING)), STOP_GRACE_MS),
      setTimeout(() => this.recorder.giveUp(), STOP_GRACE_MS + RECORD_GRACE_MS),
    ];
    await Promise.all(all.map(({ claims }) => claims.flush()));
    await Promise.all(all.map(({ inFlight }) => inFlight.empty()));
    this.ended.abort();
    for (const timer of timers) clearTimeout(timer);
  }

  /** Claims until nothing more is due; waits for free places in between. */
  private async claimAll(job: Claiming, { claims, inFlight }: Lane): Promise<void> {
    while (job.again && !this.stopped) {
      job.again = false;
      const place = inFlight.place(job.webhook);
      await claims.add(job);
      if (!job.isFull) continue;
      if (!this.stopped) await place;
      job.again = true;
    }
  }

  private makeLane(): Lane {
    const inFlight = new InFlight(this.siblings.shareOf(LIMIT));
    const claims = new Batcher<Claiming>((all) => Promise.all([this.claim(all, inFlight), sleep(CLAIM_INTERVAL_MS)]));
    return { inFlight, claims, claiming: new Map() };
  }

  /** One statement for the webhooks of all jobs that ask. The attempts begin at once. */
  private async claim(jobs: readonly Claiming[], inFlight: InFlight): Promise<void> {
    for (const job of jobs) job.isFull = false;
    if (this.stopped || this.outage.recent) return;
    const places = new Map(jobs.map(({ webhook }) => [webhook, inFlight.placesOf(webhook, jobs.length)]));
    const { free } = inFlight;
    const dispatches = await this.due.claim(places, free);
    if (this.stopped) return this.due.release(dispatches);
    const byWebhook = Map.groupBy(dispatches, ({ webhook_id }) => webhook_id);
    for (const job of jobs) {
      const claimed = byWebhook.get(job.webhook) ?? [];
      for (const dispatch of claimed) {
        const attempt = this.start(dispatch, inFlight).finally(() => job.attempts.delete(attempt));
        job.attempts.add(attempt);
      }
      const old = claimed.filter(({ is_old }) => is_old).length;
      const allowed = places.get(job.webhook)!;
      const isFull = claimed.length - old >= allowed.fresh || old >= allowed.old;
      job.isFull = isFull || dispatches.length >= free;
    }
  }

  private start(dispatch: DueDispatch, inFlight: InFlight): Promise<void> {
    return inFlight.add(dispatch, async (signal, answered) => {
      let made: AttemptRecord | undefined;
      try {
        await this.hosts.turn(dispatch.url, signal, dispatch.environment);
        made = await this.attempts.make(dispatch, signal);
        answered();
        await this.recorder.record(made);
        if (made.retry_after_seconds !== null) this.retrying.add(dispatch.webhook_id);
      } catch (error) {
        await this.putBack(dispatch, error, made);
      }
    });
  }

  private async putBack(dispatch: DueDispatch, error: unknown, made?: AttemptRecord): Promise<void> {
    if (error !== STOPPING) {
      this.logger.error({ err: error, ...idsOf(dispatch, made) }, 'A delivery could not be made or recorded');
      if (isOwnFault(error)) await this.due.failed(dispatch).catch(() => undefined);
      return; // another attempt follows when its lease has run out
    }
    await this.due.release([dispatch]).catch((lost: unknown) => {
      this.logger.warn({ err: lost }, 'A dispatch could not be released; its lease will expire');
    });
  }

  /** Extends the leases of attempts that have taken this long. */
  private async extend(olderThanMs: number): Promise<boolean> {
    await this.due.extend(Object.values(this.lanes).flatMap(({ inFlight }) => inFlight.olderThan(olderThanMs)));
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
