import { type DoctorCheck, type DoctorFinding, finding, healthy, NotCheckable } from '#contracts';
import { describeError } from './describe-error';

/** A check that has no result within this time is given up, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** In characters. Shorter values are not redacted: they also occur as ordinary words. */
const SHORTEST_SECRET = 6;

export interface DoctorOptions {
  /** Names of the variables whose values are not valid: a check that reads one is left out. */
  invalid?: ReadonlySet<string>;
  /** No line contains one of these. */
  secrets?: readonly string[];
  timeoutMs?: number;
}

/** Runs checks beside each other, so that the slowest one sets the time. Never rejects: a failure is a finding. */
export class Doctor {
  private readonly invalid: ReadonlySet<string>;
  private readonly secrets: readonly string[];
  private readonly timeoutMs: number;

  constructor(
    private readonly checks: readonly DoctorCheck[],
    { invalid = new Set(), secrets = [], timeoutMs = TIMEOUT_MS }: DoctorOptions = {},
  ) {
    this.invalid = invalid;
    this.secrets = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
    this.timeoutMs = timeoutMs;
  }

  /** @returns the findings in the order of the checks */
  async run(): Promise<DoctorFinding[]> {
    const found = await Promise.all(this.checks.map((check) => this.findings(check)));
    return found.flat().map((each) => ({ ...each, message: this.redact(each.message) }));
  }

  /** Servers may repeat the values that they were sent. */
  private redact(text: string): string {
    return this.secrets.reduce((line, secret) => line.replaceAll(secret, '[redacted]'), text);
  }

  private async findings(check: DoctorCheck): Promise<DoctorFinding[]> {
    const { name } = check;
    const invalid = check.variables.filter((variable) => this.invalid.has(variable));
    if (invalid.length > 0)
      return [finding('doctor.not-checked', `${name}: not checked, because ${invalid.join(', ')} is not valid`)];
    const ended = new AbortController();
    const late = Promise.withResolvers<DoctorFinding[]>();
    const timer = setTimeout(() => {
      late.resolve([finding('doctor.failed', `${name}: no result within ${this.timeoutMs / 1_000} s`)]);
    }, this.timeoutMs);
    try {
      return await Promise.race([check.check(ended.signal), late.promise]);
    } catch (error) {
      if (error instanceof NotCheckable && error.isExpected) return [healthy(name, error.message)];
      if (error instanceof NotCheckable) return [finding('doctor.not-checked', `${name}: ${error.message}`)];
      return [finding('doctor.failed', `${name}: ${describeError(error)}`)];
    } finally {
      clearTimeout(timer);
      ended.abort();
    }
  }
}
