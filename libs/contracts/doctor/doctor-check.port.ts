import type { DoctorFinding } from './finding';

/** One thing that `gateway doctor` looks at. It changes nothing, and never shows a secret. */
export interface DoctorCheck {
  /** The first word of its findings' codes: `redis`. */
  readonly name: string;
  /** The variables that it reads; if one is invalid, the doctor skips the check. */
  readonly variables: readonly string[];
  /**
   * The findings, one line each. If nothing is wrong, one line says so.
   * @param signal aborts when the doctor waits no longer
   * @throws NotCheckable if it lacks what it needs; another check reports why
   */
  check(signal: AbortSignal): Promise<DoctorFinding[]>;
}

/** A check cannot run. Its message says why, in one line. */
export class NotCheckable extends Error {
  /** @param isExpected nothing is wrong: before the first start there is nothing to look at */
  constructor(
    message: string,
    readonly isExpected = false,
  ) {
    super(message);
  }
}
