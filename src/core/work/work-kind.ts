import type { Environment } from '#contracts';
import type { Backoff } from '../clock/backoff';
import type { DueRow, DueTable } from './due.rows';
import type { WorkPlace } from './work-places';

/** A run has set `next_at = NULL`: the time at which its row is due next need not be read. */
export const NOTHING_DUE = 'nothing due';

export type Outcome = typeof NOTHING_DUE | void;

/** A kind of due work: where its rows are, and what to do with a row. Each row has a key of its own. */
export interface WorkKind<Row extends DueRow = DueRow> {
  name: string;
  due: DueTable;
  /** Rows of each environment that one instance works on at once: test rows never take the place of live rows. */
  concurrency: number;
  /** Backoff of a row whose run failed; default: from a second to a minute. */
  backoff?: Backoff;
  /**
   * Does the work and finishes the row itself (`next_at = NULL` or a later time, under its fence), in the transaction
   * that records the outcome. A rejection postpones the row with growing delays.
   * @param signal aborts when the lease was lost or the process stops: nothing may be recorded after that
   * @param place may be left while the work waits for others
   */
  run(row: Row, signal: AbortSignal, place: WorkPlace): Promise<Outcome>;
  /**
   * Ends work that failed five times in a row by a fault of our own; without `giveUp`, such work is retried for ever. It
   * finishes the row as `run` does, and sets its `given_up_at`: the component `workers` is then degraded for five minutes.
   */
  giveUp?(row: Row, error: unknown): Promise<void>;
}

/** Due work with several rows per key. `RowWork` has one row per key. */
export interface KeyedWork {
  readonly name: string;
  /** Keys of each environment that one instance works on at once. */
  readonly concurrency: number;
  /** SQL of `environment, key`: keys with a due row that no instance holds, the longest due first. */
  readonly dueKeys: string;
  /** The statement that the monitor reads. */
  readonly state: { sql: string; concurrency: number };
  /**
   * Claims the due rows of a key, does their work and records it.
   * @returns milliseconds until more of the key is due; undefined if nothing is
   */
  process(key: string, environment: Environment, place: WorkPlace): Promise<number | undefined>;
  /** Whether a run of the key waits in this process for room, and then claims whatever is due. */
  isWaiting?(key: string, environment: Environment): boolean;
  /** Claims nothing more. Running work may finish within a grace period; then its signal aborts, and its rows are released. */
  stop(): Promise<void>;
}
