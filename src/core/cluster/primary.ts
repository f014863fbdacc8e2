import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../clock/repeat';
import { AcceptedConnections } from './accepted-connections';
import type { Question, Snapshot, StartReport, ToPrimary, ToWorker } from './cluster-messages';
import { countsOf } from './merged-metrics';
import { SharedState } from './shared-state';
import { NEVER_QUIET } from './until-quiet';

/** How often the primary reads the metrics of all workers, in milliseconds: a worker that dies loses only the newest. */
const MEASURE_MS = 1_000;
/** A worker that answers later than this, in milliseconds, counts with its last metrics. */
const MEASURE_TIMEOUT_MS = 500;
/** A worker that died sooner is started again after this pause, in milliseconds. */
const SHORTEST_LIFE_MS = 1_000;

/** Writes a log line. */
type Log = (level: 'warn' | 'error', msg: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Keeps the workers of this process running, and answers their questions. */
export class Primary {
  private readonly state = new SharedState();
  private readonly connections = new AcceptedConnections();
  /** Workers that serve requests. */
  private readonly serving = new Set<Worker>();
  /** Workers that have answered what they had begun before the stop, and still serve. */
  private readonly drained = new Set<Worker>();
  private first?: Worker | undefined;
  private readonly snapshots = new Map<number, Snapshot>();
  /** The counts of all workers that have ended. */
  private gone: Promise<Snapshot> = Promise.resolve([]);
  private readonly measuring = new Map<number, (snapshot: Snapshot) => void>();
  private nextId = 0;
  private stopping = false;
  private accepting?: Promise<void>;
  private endMeasuring?: () => void;

  /**
   * @param databaseUrl of a migrated database
   * @param count number of workers
   */
  constructor(
    private readonly databaseUrl: string,
    private readonly count: number,
    private readonly log: Log,
  ) {}

  /** @returns the report of the first worker. @throws if it cannot start; the worker has logged why */
  async start(): Promise<StartReport> {
    this.connections.watch();
    const first = await this.startOne();
    // The first worker has made the keys of a first start: the failure of another worker must not lose its report.
    await Promise.all(
      Array.from({ length: this.count - 1 }, () => this.startOne().catch(() => void this.startUntilOneRuns())),
    );
    this.endMeasuring = repeat(MEASURE_MS, () => void this.measureAll());
    return first;
  }

  /** Stops all workers. Resolves when they have finished their work and ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.endMeasuring?.();
    await Promise.all(
      workers().map(async (worker) => {
        const ended = once(worker, 'exit');
        worker.process.kill('SIGTERM');
        await ended;
      }),
    );
  }

  private startOne(): Promise<StartReport> {
    const bornAt = performance.now();
    return new Promise((resolve, reject) => {
      const worker = cluster.fork();
      this.first ??= worker;
      this.connections.follow(worker.process);
      worker.on('error', reject);
      worker.on('message', (message: ToPrimary) => {
        void this.receive(worker, message);
        if (message.kind === 'started') resolve(message.report);
      });
      worker.on('exit', (code: number | null, signal: NodeJS.Signals | null) => {
        reject(new Error('a worker could not start'));
        if (this.serving.has(worker) && !this.stopping)
          this.log('error', 'A worker exited; starting another', { pid: worker.process.pid, code, signal });
        void this.ended(worker, performance.now() - bornAt);
      });
      const { databaseUrl, count } = this;
      const isFirst = this.first === worker;
      send(worker, { kind: 'start', databaseUrl, uptimeMs: performance.now(), workers: count, isFirst });
    });
  }

  private async ended(worker: Worker, livedMs: number): Promise<void> {
    if (this.first === worker) this.first = undefined;
    this.state.forget(worker.id);
    const snapshot = this.snapshots.get(worker.id);
    this.snapshots.delete(worker.id);
    if (snapshot) this.gone = this.gone.then((gone) => countsOf([gone, snapshot]));
    const hasServed = this.serving.delete(worker);
    this.drained.delete(worker);
    if (this.stopping) return this.endAccepting();
    if (!hasServed) return;
    this.announceRunning();
    if (livedMs < SHORTEST_LIFE_MS) await sleep(SHORTEST_LIFE_MS);
    await this.startUntilOneRuns();
  }

  private async startUntilOneRuns(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.startOne();
        return;
      } catch {
        // The worker has logged why.
        await sleep(SHORTEST_LIFE_MS);
      }
    }
  }

  private async receive(worker: Worker, message: ToPrimary): Promise<void> {
    switch (message.kind) {
      case 'started':
        this.serving.add(worker);
        return this.announceRunning();
      case 'drained':
        this.drained.add(worker);
        return this.endAccepting();
      case 'ask':
        return send(worker, {
          kind: 'answer',
          id: message.id,
          value: await this.answerTo(message.question, worker),
        });
      case 'tell':
        for (const other of workers()) if (other !== worker) send(other, message);
        return;
      case 'measured':
        // A worker that stops has already cleared its metrics.
        if (message.snapshot.length > 0) this.snapshots.set(worker.id, message.snapshot);
        this.measuring.get(message.id)?.(message.snapshot);
    }
  }

  /**
   * In a stop, workers serve until the last of them has drained: connections that the primary accepts meanwhile need a
   * worker. A worker that ends by itself leaves its connections to the others.
   */
  private async endAccepting(): Promise<void> {
    if (this.stopping) {
      if ([...this.serving].some((worker) => !this.drained.has(worker))) return;
      this.accepting ??= this.connections.end().then((isQuiet) => {
        if (!isQuiet) this.log('warn', NEVER_QUIET);
      });
      await this.accepting;
    }
    for (const worker of this.drained) send(worker, { kind: 'accepting_ended' });
    this.drained.clear();
  }

  private async answerTo(question: Question, worker: Worker): Promise<unknown> {
    if ('add' in question) return this.state.add(worker.id, question.add, question.change);
    if ('keep' in question) return this.state.keep(question.keep, question.value, question.until);
    if ('take' in question) return this.state.take(question.take, question.now);
    await this.measureAll(worker);
    const others = [...this.snapshots].filter(([id]) => id !== worker.id).map(([, snapshot]) => snapshot);
    return [...others, await this.gone];
  }

  private async measureAll(asking?: Worker): Promise<void> {
    await Promise.all([...this.serving].filter((worker) => worker !== asking).map((worker) => this.measure(worker)));
  }

  private async measure(worker: Worker): Promise<void> {
    const id = (this.nextId += 1);
    const measured = new Promise((resolve) => this.measuring.set(id, resolve));
    send(worker, { kind: 'measure', id });
    await Promise.race([measured, sleep(MEASURE_TIMEOUT_MS, undefined, { ref: false })]);
    this.measuring.delete(id);
  }

  private announceRunning(): void {
    for (const worker of this.serving) send(worker, { kind: 'running', count: this.serving.size });
  }
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isDead() === false) as Worker[];
}

/** Does nothing when the worker is ending. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
