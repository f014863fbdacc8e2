import type { BudgetAccount } from './budget-account';
import type { Span } from './budget-period';

/** A budget that a call counts towards. */
export interface Share {
  account: BudgetAccount;
  span: Span;
  /** Null: what is spent counts, and nothing bounds it. */
  ceiling: number | null;
  /** The same in US dollars, as it was set. */
  usd: number | null;
  /** `person`: what answers to one person may cost. */
  scope: 'budget' | 'person';
}

/** A call would pass the ceiling of a budget. */
export class BudgetSpentError extends Error {
  /**
   * @param needed the most that the call could cost
   * @param spent of the budget when the call is refused
   * @param reserved by calls under way; all amounts in nanodollars
   */
  constructor(
    readonly share: Share,
    readonly needed: number,
    readonly spent: number,
    readonly reserved: number,
  ) {
    const { span, scope } = share;
    super(
      scope === 'person'
        ? `What answers to this person may cost in a ${span.period} is spent`
        : `The AI budget of this ${span.period} is spent`,
    );
  }

  /** Seconds until the budget begins anew; null if it is too small for the call even when nothing is spent. */
  retryAfterSeconds(now: number): number | null {
    const { ceiling, span } = this.share;
    return this.needed > ceiling! ? null : Math.max(1, Math.ceil((span.end - now) / 1_000));
  }
}

/** What one call may cost, reserved of each of its budgets. All amounts in nanodollars. */
export class Reservation {
  private left = 0;

  private constructor(
    private readonly shares: readonly Share[],
    private readonly most: number,
  ) {}

  /**
   * Waits for nothing while the process's portions are large enough.
   * @throws BudgetSpentError
   */
  static async of(shares: readonly Share[], most: number): Promise<Reservation> {
    const reservation = new Reservation(shares, most);
    await reservation.renew();
    return reservation;
  }

  /** Some budget bounds the call: what it costs is held in the database, whatever becomes of this process. */
  get isHeld(): boolean {
    return this.shares.some(({ ceiling }) => ceiling !== null);
  }

  /** What was used of it: the most that the call can cost. */
  get remaining(): number {
    return this.left;
  }

  /** Something was spent, by an attempt that may not be the last one. */
  charge(nanos: number): void {
    const used = Math.min(nanos, this.left);
    this.left -= used;
    for (const { account, ceiling } of this.shares) account.spend(nanos, ceiling === null ? 0 : used);
  }

  /**
   * Reserves the whole again, for another attempt after one that was billed.
   * @throws BudgetSpentError
   */
  async renew(): Promise<void> {
    const amount = this.most - this.left;
    if (amount === 0) return;
    const decisions = this.shares.map(({ account, ceiling }) => account.reserve(amount, ceiling));
    const isTaken = decisions.every((decision) => decision === true);
    const settled = isTaken ? [] : await Promise.allSettled(decisions.map((decision) => Promise.resolve(decision)));
    if (settled.every((decision) => decision.status === 'fulfilled' && decision.value)) {
      this.left = this.most;
      return;
    }
    this.undo(settled, amount);
    const failed = settled.find((decision) => decision.status === 'rejected');
    if (failed) throw failed.reason;
    const refusals = this.shares.filter((_, index) => {
      const decision = settled[index]!;
      return decision.status === 'fulfilled' && !decision.value;
    });
    // The one that is spent for longest: for good if the call costs more than all of it.
    const lasting = ({ ceiling, span }: Share) => (this.most > ceiling! ? Infinity : span.end);
    const refusing = refusals.toSorted((one, other) => lasting(other) - lasting(one))[0]!;
    // The portion that no call has reserved is of no use now, and would be told as reserved.
    await refusing.account.close();
    const { spent, held } = await refusing.account.read();
    throw new BudgetSpentError(refusing, this.most, spent, held);
  }

  /** The call is over. */
  end(): void {
    for (const { account, ceiling } of this.shares) if (ceiling !== null) account.release(this.left, ceiling);
    this.left = 0;
  }

  private undo(decisions: readonly PromiseSettledResult<boolean>[], amount: number): void {
    this.shares.forEach(({ account, ceiling }, index) => {
      const decision = decisions[index]!;
      if (ceiling !== null && decision.status === 'fulfilled' && decision.value) account.release(amount, ceiling);
    });
  }
}
