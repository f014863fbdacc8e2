import { hash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Environment, Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import type { AiBudget } from '../../core/http/lifecycle/request-context';
import { PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { SettingsService } from '../../core/settings/settings.service';
import { BudgetAccount } from './budget-account';
import { PERIODS, spanOf, type Period, type Span } from './budget-period';
import { ceilingOf } from '../../core/nanodollars';
import { BudgetSpentError, Reservation, type Share } from './reservation';
import { SpendingRows, type SpendingKey, type SpendingView } from './spending-rows.service';

/** A third of the lease of a portion. */
const EXTEND_MS = 10_000;
/** A portion of which no call has reserved for so long is given back: another instance may need it. */
const IDLE_MS = 60_000;
const CLEAN_MS = 3_600_000;
/** What is older than the month before the last is of no use. */
const KEPT_MS = 62 * 86_400_000;
/** The owner is told from here on; below it, a refused call was too large rather than the budget spent. */
const NEARLY = 0.8;

/** A key that has a budget of its own. */
export interface BudgetedKey {
  keyId: string;
  aiBudget: AiBudget;
}

/** A call counts towards the budgets of these and of its environment. */
export interface Payers {
  key?: BudgetedKey;
  /** The person who is answered, as {@link personOf} names them. */
  person?: string;
}

/** One budget, as it stands. */
export interface BudgetState extends SpendingView {
  span: Span;
  ceiling: number | null;
}

/**
 * The budgets of environments and keys. A call reserves the most that it can cost before it is made, and is charged what
 * it did cost (ADR 43).
 */
@Injectable()
export class Budgets implements OnApplicationShutdown {
  private readonly accounts = new Map<string, BudgetAccount>();

  constructor(
    private readonly rows: SpendingRows,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The extension of AI budget portions', EXTEND_MS, () => this.maintain());
    jobs.every('The deletion of old AI spending', CLEAN_MS, () =>
      this.rows.deleteOld(new Date(clock.now() - KEPT_MS).toISOString().slice(0, 10)),
    );
  }

  /** After the last call; what is still reserved stays held, and counts as spent. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.accounts.values()].map((account) => account.close()));
  }

  /**
   * Reserves what a call may cost, in the UTC day and month of this moment.
   * @param most in nanodollars
   * @throws BudgetSpentError
   */
  async reserve(environment: Environment, payers: Payers, most: number): Promise<Reservation> {
    const shares = PERIODS.flatMap((period) => this.sharesOf(environment, payers, period));
    try {
      return await Reservation.of(shares, most);
    } catch (error) {
      if (error instanceof BudgetSpentError) await this.refused(environment, shares, most);
      throw error;
    }
  }

  /** The budget of an environment, or of a key in it, in this day or month. */
  async read(environment: Environment, period: Period, key?: BudgetedKey): Promise<BudgetState> {
    const { account, span, ceiling } = this.sharesOf(environment, { key }, period).at(-1)!;
    return { span, ceiling, ...(await account.read()) };
  }

  /** The budget of the environment, then those of the payers. */
  private sharesOf(environment: Environment, { key, person }: Payers, period: Period): Share[] {
    const span = spanOf(period, this.clock.now());
    const share = (owner: string, usd: number | null, scope: Share['scope'] = 'budget'): Share => ({
      account: this.accountOf(owner, environment, span),
      span,
      usd,
      ceiling: ceilingOf(usd),
      scope,
    });
    const shares = [share(environment, this.budgetOf(environment, period))];
    if (key) shares.push(share(key.keyId, key.aiBudget[period === 'day' ? 'dailyUsd' : 'monthlyUsd']));
    const perPerson = this.settings.of(environment).ai.daily_usd_per_person;
    if (person !== undefined && period === 'day' && perPerson !== null) shares.push(share(person, perPerson, 'person'));
    return shares;
  }

  private budgetOf(environment: Environment, period: Period): number | null {
    const { daily_usd, monthly_usd } = this.settings.of(environment).ai.budget;
    return period === 'day' ? daily_usd : monthly_usd;
  }

  private accountOf(owner: string, environment: Environment, { period, startsOn }: Span): BudgetAccount {
    const key: SpendingKey = { owner, period, startsOn };
    const name = `${owner} ${period} ${startsOn}`;
    const known = this.accounts.get(name);
    if (known) return known;
    let told: number | null = null;
    const account = new BudgetAccount(key, this.rows, ({ spent }, ceiling) => {
      if (isPerson(owner) || ceiling === told || !isNearlySpent(spent, ceiling)) return;
      told = ceiling;
      this.rows.notify(key, environment, 80, ceiling).catch(() => (told = null));
    });
    this.accounts.set(name, account);
    return account;
  }

  /** Tells the owner, unless it was the call that was too large. */
  private async refused(environment: Environment, shares: readonly Share[], most: number): Promise<void> {
    for (const { account, ceiling, scope } of shares) {
      if (ceiling === null || scope === 'person') continue;
      const { spent } = await this.rows.read(account.key);
      if (!isNearlySpent(spent, ceiling) || spent + most <= ceiling) continue;
      await this.rows.refuse(account.key, most);
      await this.rows.notify(account.key, environment, 80, ceiling);
      await this.rows.notify(account.key, environment, 100, ceiling);
    }
  }

  private async maintain(): Promise<void> {
    await this.rows.extend();
    for (const [name, account] of this.accounts) {
      await account.flush();
      const { period, startsOn } = account.key;
      const isOver = startsOn !== spanOf(period, this.clock.now()).startsOn;
      const isIdle = isOver || account.idleMs > IDLE_MS;
      if (isIdle) await account.close();
      // Many people write, each once.
      if (isIdle && account.isSettled) this.accounts.delete(name);
    }
  }
}

const PERSON = 'person:';

/** The owner of what answers to a person cost: a digest, because the row outlives the person's messages. */
export function personOf(environment: Environment, platform: Platform, senderId: string): string {
  return PERSON + hash('sha256', JSON.stringify([environment, platform, senderId]), 'base64url');
}

function isPerson(owner: string): boolean {
  return owner.startsWith(PERSON);
}

/** So much is spent that a refusal says that the budget is spent. */
export function isNearlySpent(spent: number, ceiling: number | null): ceiling is number {
  return ceiling !== null && ceiling > 0 && spent >= NEARLY * ceiling;
}
