import type { Session } from './session';

/** What every adapter must show, in the order of the table that ends a run of the suite. */
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

/** Why a case does not apply to an adapter. */
export type NotApplicable = Partial<Record<Case, string>>;

/** Some of the cases, each with its tests: together they must have them all, or the suite does not compile. */
export type CasesOf<Name extends Case> = Readonly<Record<Name, (session: Session) => void>>;
