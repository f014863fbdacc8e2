import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { JOBS_OPTIONS, type JobsModuleOptions } from './jobs.module-definition';
import { CoalescingTask } from './coalescing-task';
import { SignalJobs } from './signal-jobs';

/** Other instances are told at most this often of one kind: under load they are awake anyway. */
const PUBLISH_EVERY_MS = 200;

interface SignalTargets {
  /** Looks for work in this process. */
  look: CoalescingTask;
  /** Tells another instance. */
  tell: CoalescingTask;
}

/**
 * Wakes up whoever does a kind of work: here at once, and one more instance through the queue, should this one be busy
 * or die. Work is rows; a wake-up only saves waiting for the sweep of their owner, so that one which is lost (queue away,
 * process killed) costs a second and nothing else.
 */
@Injectable()
export class WorkSignals implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WorkSignals.name);
  private readonly kinds = new Map<string, SignalTargets>();
  private readonly early = new Set<string>();
  private readonly jobs: SignalJobs;
  private started = false;

  constructor(@Inject(JOBS_OPTIONS) options: JobsModuleOptions) {
    this.jobs = new SignalJobs(options, (kind) => this.kinds.get(kind)?.look.request());
  }

  /**
   * To be called while modules initialise. Runs of a handler never overlap in a process; what it throws is logged.
   * @param kind a letter, then letters, digits, `_`, `.` and `-`
   * @param handler looks for work of this kind and does what it finds
   * @throws for a kind that is registered already or has other characters
   */
  register(kind: string, handler: () => Promise<void>): void {
    if (!/^[a-z][\w.-]*$/i.test(kind)) throw new RangeError(`"${kind}" cannot name a kind of work`);
    if (this.kinds.has(kind)) throw new RangeError(`The kind of work "${kind}" is registered already`);
    const log = (error: unknown): void => this.logger.error({ err: error }, `Looking for ${kind} work failed`);
    this.kinds.set(kind, {
      look: new CoalescingTask(handler, log),
      tell: new CoalescingTask(async () => {
        await this.jobs.publish(kind);
        await sleep(PUBLISH_EVERY_MS, undefined, { ref: false });
      }, log),
    });
  }

  /** Says that there may be work of a kind. Never throws, and costs next to nothing however often it is called. */
  signal(kind: string): void {
    const targets = this.kinds.get(kind);
    if (!targets) {
      this.logger.error(`Nobody does ${kind} work`);
    } else if (this.started) {
      targets.look.request();
      targets.tell.request();
    } else {
      this.early.add(kind);
    }
  }

  /** What was asked for before everything was there is done now. */
  onApplicationBootstrap(): void {
    this.started = true;
    this.jobs.open();
    for (const kind of this.early) this.signal(kind);
    this.early.clear();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /** No more handler runs start; resolves when the present ones have ended and the queue is closed. */
  async stop(): Promise<void> {
    const kinds = [...this.kinds.values()];
    for (const { tell } of kinds) void tell.stop();
    await Promise.all(kinds.map(({ look }) => look.stop()));
    await this.jobs.close();
  }
}
