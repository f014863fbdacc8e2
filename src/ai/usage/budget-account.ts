import {
  PORTIONS,
  type SpendingKey,
  type SpendingRows,
  type SpendingState,
  type SpendingView,
} from './spending-rows.service';

/** How long what was spent waits for more of it before it is written, in milliseconds. */
const SETTLE_MS = 100;
/** After a refusal, calls that do not fit either are refused without asking, in milliseconds: a flood of them costs nothing. */
const REFUSED_MS = 200;
/** A portion is worth asking for ahead if it is enough for so many calls. */
const WORTH_CALLS = 4;

interface Waiting {
  amount: number;
  decided: (reserved: boolean) => void;
  failed: (error: unknown) => void;
}

/**
 * This process's portion of one budget in one day or month. Calls reserve from it in memory; only when it is too small
 * does a call wait for the database. One exchange with the database is under way at a time, for all that wait.
 */
export class BudgetAccount {
  /** Of the portion, what no call has reserved. */
  private available = 0;
  private reserved = 0;
  private ceiling: number | null = null;
  private spent = 0;
  private used = 0;
  /** To be given back; what the exchange under way gives back is part of it. */
  private back = 0;
  private waiting: Waiting[] = [];
  /** Calls for which the database is being asked. What is available is theirs: another that took it would have one of them refused. */
  private asked = 0;
  private wantsPortion = false;
  private lastPortion = 0;
  /** What no process holds, as of the last exchange. */
  private rest = 0;
  private refusedUntil = 0;
  private reservedAt = 0;
  private opened?: Promise<void>;
  private running?: Promise<void>;
  private timer?: NodeJS.Timeout;

  /** @param onState hears what is spent, after each exchange */
  constructor(
    readonly key: SpendingKey,
    private readonly rows: SpendingRows,
    private readonly onState: (state: SpendingState, ceiling: number | null) => void,
  ) {}

  /** How long ago a call reserved last, in milliseconds. */
  get idleMs(): number {
    return performance.now() - this.reservedAt;
  }

  /** Nothing is reserved, and everything that was spent is written. */
  get isSettled(): boolean {
    return this.reserved === 0 && this.spent === 0 && this.back === 0 && this.waiting.length === 0 && !this.running;
  }

  /**
   * Reserves an amount.
   * @param ceiling null: there is no budget at present, and nothing is reserved
   * @returns whether it fits; at once while the portion is large enough
   */
  reserve(amount: number, ceiling: number | null): boolean | Promise<boolean> {
    this.reservedAt = performance.now();
    if (ceiling !== this.ceiling) this.reopen(ceiling);
    if (ceiling === null) return true;
    const free = this.available + this.back + this.rest;
    if (amount > free && performance.now() < this.refusedUntil) return false;
    if (this.waiting.length === 0 && this.asked === 0 && this.take(amount)) {
      this.askAhead(amount);
      return true;
    }
    return new Promise((decided, failed) => {
      this.waiting.push({ amount, decided, failed });
      void this.exchangeSoon();
    });
  }

  /** @param used how much of it was reserved */
  spend(amount: number, used: number): void {
    this.spent += amount;
    this.used += used;
    this.reserved -= used;
    this.settleSoon();
  }

  /**
   * Gives back what a call reserved and did not use.
   * @param ceiling of the budget when it was reserved
   */
  release(amount: number, ceiling: number): void {
    this.reserved -= amount;
    if (ceiling === this.ceiling) this.available += amount;
    else this.back += amount;
    this.settleSoon();
  }

  /** Begins with what is on the bill already. */
  open(): Promise<void> {
    this.opened ??= this.rows.open(this.key).catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  /** Writes what was spent. Never rejects: what could not be written waits for the next time. */
  async flush(): Promise<void> {
    await this.running;
    await this.exchangeSoon();
  }

  /** Amounts spent and reserved over all instances, in nanodollars. */
  async read(): Promise<SpendingView> {
    await this.open();
    await this.flush();
    return this.rows.read(this.key);
  }

  /** Gives the portion back, apart from what is reserved. */
  async close(): Promise<void> {
    this.back += this.available;
    this.available = 0;
    await this.flush();
  }

  /** A portion of a budget that was changed is none of the new one. */
  private reopen(ceiling: number | null): void {
    this.back += this.available;
    this.available = 0;
    this.lastPortion = 0;
    this.refusedUntil = 0;
    this.ceiling = ceiling;
  }

  private take(amount: number): boolean {
    if (this.available < amount) return false;
    this.available -= amount;
    this.reserved += amount;
    return true;
  }

  private askAhead(amount: number): void {
    if (this.available > this.lastPortion / 2 || this.lastPortion < WORTH_CALLS * amount) return;
    this.wantsPortion = true;
    void this.exchangeSoon();
  }

  private exchangeSoon(): Promise<void> {
    this.running ??= this.exchangeAll();
    return this.running;
  }

  private async exchangeAll(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    let again = true;
    try {
      while (again) again = (await this.exchange()) || this.waiting.length > 0;
    } finally {
      // With the last look: a call that comes later begins the next exchange.
      this.running = undefined;
    }
  }

  /** @returns whether there is something to give back at once */
  private async exchange(): Promise<boolean> {
    const asked = this.waiting.splice(0);
    const { spent, used, back, ceiling } = this;
    const need = this.needOf(asked);
    if (need === null && spent === 0 && used === 0 && back === 0) return false;
    [this.spent, this.used, this.wantsPortion] = [0, 0, false];
    this.asked = asked.length;
    try {
      await this.open();
      const state = await this.rows.exchange(this.key, { spent, used, back, need, ceiling });
      this.back -= back;
      this.receive(state, ceiling);
      const refused = asked.filter(({ amount, decided }) => {
        const isTaken = this.take(amount);
        decided(isTaken);
        return !isTaken;
      });
      if (refused.length > 0) this.refusedUntil = performance.now() + REFUSED_MS;
      this.onState(state, ceiling);
      return this.trim() && refused.length > 0;
    } catch (error) {
      // Where the commit did take effect, it counts twice: on the safe side.
      [this.spent, this.used] = [this.spent + spent, this.used + used];
      for (const { failed } of asked) failed(error);
      this.opened = undefined;
      return false;
    } finally {
      this.asked = 0;
    }
  }

  private needOf(asked: readonly Waiting[]): number | null {
    if (asked.length === 0) return this.wantsPortion ? 0 : null;
    return Math.max(0, asked.reduce((sum, { amount }) => sum + amount, 0) - this.available);
  }

  private receive({ spent, held, granted }: SpendingState, ceiling: number | null): void {
    if (ceiling !== this.ceiling) {
      // Of a budget that was changed meanwhile.
      this.back += granted;
      return;
    }
    if (granted > 0) this.lastPortion = granted;
    this.rest = ceiling === null ? 0 : ceiling - spent - held;
    this.available += granted;
  }

  /** Has what is more than a portion given back: another process may need it. */
  private trim(): boolean {
    const portion = Math.max(0, Math.floor((this.rest + this.available) / PORTIONS));
    if (this.available <= 2 * portion) return false;
    this.back += this.available - portion;
    this.available = portion;
    this.settleSoon();
    return true;
  }

  private settleSoon(): void {
    this.timer ??= setTimeout(() => void this.flush(), SETTLE_MS).unref();
  }
}
