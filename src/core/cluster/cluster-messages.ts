import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** All metrics of a process. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[];

export type Question =
  | { add: string; change: 1 | -1 }
  | { keep: string; value: unknown; until: number }
  | { take: string; now: number }
  | { metrics: true };

/** Shown to the operator after a start. */
export interface StartReport {
  url: string;
  createdKeys: readonly string[];
  signInCode?: string | undefined;
  /** Whether the first keys are in a file. */
  areKeysInFile: boolean;
}

export type ToPrimary =
  | { kind: 'ask'; id: number; question: Question }
  | { kind: 'tell'; topic: string; value: unknown }
  | { kind: 'measured'; id: number; snapshot: Snapshot }
  /** The worker stops, and has answered the requests that began before. */
  | { kind: 'drained' }
  | { kind: 'started'; report: StartReport };

export type ToWorker =
  | { kind: 'start'; databaseUrl: string; uptimeMs: number; workers: number; isFirst: boolean }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'tell'; topic: string; value: unknown }
  | { kind: 'measure'; id: number }
  /** The worker has got its last connection. */
  | { kind: 'accepting_ended' }
  | { kind: 'running'; count: number };
