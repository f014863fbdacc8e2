import type { Dispatcher } from 'undici';
import type { Stage } from './stage';

/** Measures a hot path of the gateway, most often against a bare server. */
export interface Bench {
  /** One line. */
  description: string;
  /** Prints its results. Rejects if an answer is wrong, but not if a goal is missed: machines differ. */
  run(stage: Stage): Promise<void>;
}

/** A server to compare. */
export interface Contender {
  name: string;
  /** e.g. `http://127.0.0.1:3000` */
  origin: string;
  /** The next request to make. */
  request(): Dispatcher.RequestOptions;
  /** Resolves when the background work of all answered requests is done. */
  settled(): Promise<void>;
}

/** A process whose costs are measured, with its database. */
export interface Measured {
  name: string;
  databaseUrl: string;
  pid: number;
  /** As in `Contender`. */
  settled(): Promise<void>;
}

/** A contender whose costs per request are measured. */
export interface MeasuredContender extends Contender, Measured {
  /** Requests made so far. */
  asked(): number;
}

/** The two contenders of a comparison. */
export type Pair = readonly [gateway: Contender, bare: Contender];
