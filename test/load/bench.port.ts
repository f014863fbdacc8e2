import type { Dispatcher } from 'undici';
import type { Stage } from './stage';

/** Compares one hot path of the gateway with the bare thing. */
export interface Bench {
  /** One line. */
  description: string;
  /** Prints what it measures. Rejects when an answer is wrong, not when a goal is missed: machines differ. */
  run(stage: Stage): Promise<void>;
}

/** One of the servers compared. */
export interface Contender {
  name: string;
  /** e.g. `http://127.0.0.1:3000` */
  origin: string;
  /** The next request to make. */
  request(): Dispatcher.RequestOptions;
  /** Resolves when nothing of the requests answered so far is left to do in the background. */
  settled(): Promise<void>;
}

/** A process whose costs are told, with its database. */
export interface Measured {
  name: string;
  databaseUrl: string;
  pid: number;
  /** As that of a contender. */
  settled(): Promise<void>;
}

/** One of whose requests the costs are told. */
export interface MeasuredContender extends Contender, Measured {
  /** Requests made so far. */
  asked(): number;
}

/** The two things compared; the first is measured against the second. */
export type Pair = readonly [gateway: Contender, bare: Contender];
