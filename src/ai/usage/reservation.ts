import type { Settings } from '../../core/settings/settings';
import type { AiTokens } from '../provider/ai-provider.port';
import type { Prices } from '../provider/prices';
import { nanosOf } from '../../core/nanodollars';
import { countedNanos } from './spending-estimate';
import type { Environment } from '#contracts';
import type { Span } from './budget-period';
import type { Settlement, SpendingKey, SpendingState } from './spending-rows.service';

/** A budget that a call counts towards. */
export interface Share {
  environment: Environment;
  key: SpendingKey;
  span: Span;
  /** Null: spending is counted and not limited. */
  ceiling: number | null;
  /** The ceiling in US dollars, as it was set. */
  usd: number | null;
  /** `person`: the limit for answers to one person. */
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
      scope === 'person' ? `This person’s daily AI budget is spent` : `The AI budget of this ${span.period} is spent`,
    );
  }

  /** Seconds until the budget resets; null if it is too small for the call even when nothing is spent. */
  retryAfterSeconds(now: number): number | null {
    const { ceiling, span } = this.share;
    return this.needed > ceiling! ? null : Math.max(1, Math.ceil((span.end - now) / 1_000));
  }
}

export interface Reserving {
  /** @throws BudgetSpentError */
  reserve(shares: readonly Share[], amount: number): Promise<SpendingState[]>;
  settle(settlement: Settlement, share: Share): void;
}

/** The amount that one call may cost, reserved in each of its budgets. All amounts in nanodollars. */
export class Reservation {
  private left = 0;
  /** The budgets as the call found them, in the order of its shares. */
  private states: readonly SpendingState[] = [];

  /** @param tables the prices for a model without a known price: the highest cost counts */
  constructor(
    private readonly shares: readonly Share[],
    private readonly most: number,
    private readonly tables: readonly Prices[],
    private readonly budgets: Reserving,
  ) {}

  /** Whether a budget limits the call and the call may cost something: then the database holds its cost, even if this process dies. */
  get isHeld(): boolean {
    return this.most > 0 && this.shares.some(({ ceiling }) => ceiling !== null);
  }

  /** Charges the tokens that an attempt, failed or answered, has used. Another attempt may follow. */
  charge(model: string, tokens: AiTokens, overrides: Settings['ai']['prices']): void {
    const counted = countedNanos(model, tokens, this.tables, overrides);
    this.spend(tokens.isIncomplete ? Math.max(counted, this.left) : counted);
  }

  chargeUsd(usd: number): void {
    this.spend(nanosOf(usd));
  }

  /**
   * Reserves the whole: at first, and again for another attempt after one that was billed. A call that costs nothing reserves
   * nothing, also after the budget is spent.
   * @throws BudgetSpentError
   */
  async renew(): Promise<void> {
    if (this.left === this.most) return;
    this.end();
    this.states = await this.budgets.reserve(this.shares, this.most);
    this.left = this.most;
  }

  /** Frees the rest at the end of the call. */
  end(): void {
    if (this.left > 0) this.settle(0, this.left);
  }

  private spend(nanos: number): void {
    this.settle(nanos, Math.min(nanos, this.left));
  }

  private settle(spent: number, freed: number): void {
    if (spent === 0 && freed === 0) return;
    this.left -= freed;
    this.shares.forEach((share, index) => {
      // Without a reservation nothing is freed, so the round does not matter. The call cost something nevertheless: its price was
      // changed meanwhile, or the provider answered with another model.
      const { round } = this.states[index] ?? { round: 0 };
      this.budgets.settle({ ...share.key, round, spent, freed }, share);
    });
  }
}
