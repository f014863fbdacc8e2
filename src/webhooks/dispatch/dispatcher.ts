import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { SerialRun } from '../../core/queue/serial-run';
import { WakeQueue } from '../../core/queue/wake-queue';
import { Attempts } from './attempts';
import { DueDispatches, LEASE_SECONDS, type DueDispatch } from './due-dispatches';
import { InFlight } from './in-flight';
import { Ledger } from './ledger';

/** The kind of wake-up that says: something may be due to a receiver. */
export const DISPATCHES = 'webhook-dispatches';

/** Attempts under way at once, in one process: in all, and to one webhook, so that a slow receiver delays only itself. */
const LIMIT = 1_000;
const PER_WEBHOOK = 50;

const SWEEP_MS = 1_000;
const EXTEND_MS = (LEASE_SECONDS * 1000) / 3;
/** How long attempts may go on after the stop was asked for, in milliseconds. */
const STOP_GRACE_MS = 30_000;
/** What recording them may take then. */
const RECORD_GRACE_MS = 2_000;

const STOPPING = new Error('the process is stopping');

/**
 * Delivers what is due. Rows are the truth: wake-ups save waiting for the sweep, which each second finds what a crash, a
 * flushed queue or a lost notification left, and retries whose time has come.
 */
@Injectable()
export class Dispatcher implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Dispatcher.name);
  private readonly inFlight = new InFlight();
  private timers: NodeJS.Timeout[] = [];
  /** The last claim filled all places that it, or one webhook, had: there may be more. */
  private more = false;
  private stopped = false;
  private readonly claims = new SerialRun(
    () => this.claim(),
    (error) => this.logger.debug({ err: error }, 'Due dispatches could not be claimed'),
  );

  constructor(
    private readonly queue: WakeQueue,
    private readonly due: DueDispatches,
    private readonly attempts: Attempts,
    private readonly ledger: Ledger,
  ) {}

  onModuleInit(): void {
    this.queue.register(DISPATCHES, () => Promise.resolve(this.claims.request()));
  }

  onApplicationBootstrap(): void {
    this.timers = [
      setInterval(() => this.claims.request(), SWEEP_MS),
      setInterval(() => void this.extend(), EXTEND_MS),
    ];
    this.claims.request();
  }

  /** Before anything waits for its own end: the grace begins with the signal. */
  onModuleDestroy(): void {
    this.stopped = true;
    clearInterval(this.timers[0]);
    this.timers.push(setTimeout(() => this.inFlight.abort(STOPPING), STOP_GRACE_MS));
    this.timers.push(setTimeout(() => this.ledger.giveUp(), STOP_GRACE_MS + RECORD_GRACE_MS));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.claims.stop();
    await this.inFlight.empty();
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async claim(): Promise<void> {
    for (;;) {
      const places = LIMIT - this.inFlight.size;
      if (this.stopped || places <= 0) return;
      // As it is when the database is asked: attempts end meanwhile.
      const before = new Map(this.inFlight.busy);
      const claimed = await this.due.claim(PER_WEBHOOK, places, before);
      if (this.stopped) return this.due.release(claimed);
      for (const dispatch of claimed) this.start(dispatch);
      this.more = claimed.length === places || anyFilled(before, claimed);
      if (claimed.length < places) return;
    }
  }

  private start(dispatch: DueDispatch): void {
    this.inFlight.add(dispatch, async (signal, answered) => {
      try {
        const attempt = await this.attempts.make(dispatch, signal);
        answered();
        this.refill();
        await this.ledger.record(attempt);
      } catch (error) {
        await this.putBack(dispatch, error);
      }
      this.refill();
    });
  }

  /** Places are free again: what waits takes them, many by one claim. */
  private refill(): void {
    if (this.more && !this.stopped) this.claims.request();
  }

  private async putBack(dispatch: DueDispatch, error: unknown): Promise<void> {
    if (error !== STOPPING) {
      this.logger.error({ err: error, event: dispatch.event_id }, 'A delivery could not be made or recorded');
      return; // when its lease runs out, it is made again
    }
    await this.due.release([dispatch]).catch((lost: unknown) => {
      this.logger.warn({ err: lost }, 'A dispatch could not be released; its lease will run out');
    });
  }

  private async extend(): Promise<void> {
    try {
      await this.due.extend(this.inFlight.olderThan(EXTEND_MS / 2));
    } catch (error) {
      // The leases run out by themselves if the database stays away; the fence protects whoever takes over.
      this.logger.debug({ err: error }, 'Leases could not be extended');
    }
  }
}

/** Whether a webhook got all the places that it had, so that more of it may be due. */
function anyFilled(before: ReadonlyMap<string, number>, claimed: readonly DueDispatch[]): boolean {
  const counts = new Map(before);
  for (const { webhook_id } of claimed) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1);
  return [...counts.values()].some((count) => count >= PER_WEBHOOK);
}
