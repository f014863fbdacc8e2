import type { AccountKey } from '#contracts';
import type { HealthDirection } from '#platforms';

/** One direction of one account. */
export interface HealthSubject extends AccountKey {
  direction: HealthDirection;
}

/** The health of one direction; null for unknown values. Times are Unix milliseconds. */
export interface DirectionHealth {
  lastSuccessAt: number | null;
  /** With a code: when it last failed. Without a code: when the last error was cleared. */
  lastErrorAt: number | null;
  lastErrorCode: string | null;
  lastError: string | null;
  /** How many messages waited at the platform, as it reported at `backlogAt`. */
  backlog: number | null;
  backlogAt: number | null;
}

export const NOTHING_KNOWN: DirectionHealth = {
  lastSuccessAt: null,
  lastErrorAt: null,
  lastErrorCode: null,
  lastError: null,
  backlog: null,
  backlogAt: null,
};

/** Merges what two instances observed, in any order: the newest value of each fact wins; `other` wins a tie. */
export function together(one: DirectionHealth, other: DirectionHealth): DirectionHealth {
  const error = isNewer(other.lastErrorAt, one.lastErrorAt) ? other : one;
  const told = isNewer(other.backlogAt, one.backlogAt) ? other : one;
  return {
    lastSuccessAt: isNewer(other.lastSuccessAt, one.lastSuccessAt) ? other.lastSuccessAt : one.lastSuccessAt,
    lastErrorAt: error.lastErrorAt,
    lastErrorCode: error.lastErrorCode,
    lastError: error.lastError,
    backlog: told.backlog,
    backlogAt: told.backlogAt,
  };
}

function isNewer(at: number | null, than: number | null): boolean {
  return at !== null && (than === null || at >= than);
}
