import type { Session } from './session';

/** The cases that every adapter must pass, in the order of the table at the end of a run. */
export const CASES = [
  'connect',
  'receive',
  'dedupe',
  'send',
  'split',
  'format',
  'silent',
  'reply',
  'options',
  'taps',
  'every failure class',
  '429',
  'outage',
  'recovery',
  'reconnect while reconnecting',
  'stop',
  'liveness',
  'credentials',
  'refused token',
  'conflict',
  'order',
  'ambiguous outcome',
  'rejected markup',
  'typing',
  'received files',
  'failing downloads',
  'send files',
  'failing uploads',
] as const;
export type Case = (typeof CASES)[number];

/** Case → why it does not apply to an adapter. */
export type NotApplicable = Partial<Record<Case, string>>;

/** Some of the cases, each with its tests. The suite compiles only if the groups together have every case. */
export type CasesOf<Name extends Case> = Readonly<Record<Name, (session: Session) => void>>;
