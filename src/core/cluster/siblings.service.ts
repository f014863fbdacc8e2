import cluster from 'node:cluster';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { shareOf } from '../config/workers';
import type { Question, Snapshot, ToPrimary, ToWorker } from './cluster-messages';
import { SharedState } from './shared-state';

const OWN = 0;

/** When the gateway started (this process, or its primary), in milliseconds of this process's monotonic clock. */
let startedAt = 0;
/** Number of processes that serve requests, this one included. */
let workers = 1;
let isFirst = true;

/** Waits for the first message of the primary. @returns the address of a migrated database */
export async function startOfWorker(): Promise<string> {
  return new Promise((resolve) => {
    const onMessage = (message: ToWorker) => {
      if (message.kind !== 'start') return;
      process.off('message', onMessage);
      startedAt = performance.now() - message.uptimeMs;
      ({ workers, isFirst } = message);
      resolve(message.databaseUrl);
    };
    process.on('message', onMessage);
  });
}

export function sendToPrimary(message: ToPrimary): void {
  if (process.connected) process.send!(message);
}

/** The other processes of this gateway (`WORKERS`). Without others, this process answers itself at once. */
@Injectable()
export class Siblings implements OnApplicationShutdown {
  /** Processes that serve requests. */
  running = 1;
  /** Undefined in a worker: the primary holds the state. */
  private readonly state = cluster.isWorker ? undefined : new SharedState();
  private readonly asked = new Map<number, (value: unknown) => void>();
  private readonly listeners = new Map<string, (value: never) => void>();
  private readonly acceptingEnded = Promise.withResolvers<void>();
  private measure?: () => Promise<Snapshot>;
  private nextId = 0;
  private readonly onMessage = (message: ToWorker) => this.receive(message);

  constructor() {
    if (!this.state) process.on('message', this.onMessage);
  }

  onApplicationShutdown(): void {
    process.off('message', this.onMessage);
  }

  /** The first process does the work that one process does for all. When it dies, the worker that replaces it is the first. */
  get isFirst(): boolean {
    return isFirst;
  }

  /** Seconds since the gateway started. */
  get uptimeSeconds(): number {
    return Math.floor((performance.now() - startedAt) / 1_000);
  }

  /** This process's share of an instance's limit. */
  shareOf(limit: number): number {
    return shareOf(limit, workers);
  }

  /** Changes the count of `name` by one. @returns the new count of all processes together */
  add(name: string, change: 1 | -1): number | Promise<number> {
    if (this.state) return this.state.add(OWN, name, change);
    return this.ask({ add: name, change }) as Promise<number>;
  }

  /** Keeps a value that one caller of `take` gets. @param until Unix milliseconds */
  async keep(name: string, value: unknown, until: number): Promise<void> {
    if (this.state) this.state.keep(name, value, until);
    else await this.ask({ keep: name, value, until });
  }

  /** @param now Unix milliseconds */
  async take(name: string, now: number): Promise<unknown> {
    return this.state ? this.state.take(name, now) : this.ask({ take: name, now });
  }

  /** Sends `value` to all other processes. */
  tell(topic: string, value: unknown): void {
    if (!this.state) sendToPrimary({ kind: 'tell', topic, value });
  }

  onMessageOf(topic: string, listener: (value: never) => void): void {
    this.listeners.set(topic, listener);
  }

  /** @param measure reads the metrics of this process */
  onMeasure(measure: () => Promise<Snapshot>): void {
    this.measure = measure;
  }

  /** Call it when this process stops and has drained. Resolves when the primary gives it no more connections. */
  async untilAcceptingEnds(): Promise<void> {
    if (this.state) return;
    sendToPrimary({ kind: 'drained' });
    await this.acceptingEnded.promise;
  }

  /** The metrics of the other processes, including ended ones. */
  async metricsOfOthers(): Promise<Snapshot[]> {
    return this.state ? [] : ((await this.ask({ metrics: true })) as Snapshot[]);
  }

  private ask(question: Question): Promise<unknown> {
    const id = (this.nextId += 1);
    sendToPrimary({ kind: 'ask', id, question });
    return new Promise((resolve) => this.asked.set(id, resolve));
  }

  private receive(message: ToWorker): void {
    switch (message.kind) {
      case 'answer':
        this.asked.get(message.id)?.(message.value);
        this.asked.delete(message.id);
        return;
      case 'tell':
        // The sender and the listener of a topic agree on the type of its value.
        return this.listeners.get(message.topic)?.(message.value as never);
      case 'running':
        this.running = message.count;
        return;
      case 'accepting_ended':
        return this.acceptingEnded.resolve();
      case 'measure':
        // If this fails, the primary uses this worker's last snapshot.
        return void this.measure?.().then(
          (snapshot) => sendToPrimary({ kind: 'measured', id: message.id, snapshot }),
          () => undefined,
        );
      case 'start': // `startOfWorker` handles it
    }
  }
}
