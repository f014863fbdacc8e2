import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { isCertainlyUndone } from '../../core/database/connections/connection-lost';
import type { AiBudget } from '../../core/http/lifecycle/request-context';
import { Batcher } from '../../core/work/batcher';
import { SettingsService } from '../../core/settings/settings.service';
import type { AiRequest } from '../provider/ai-provider.port';
import { PERIODS, spanOf, type Period, type Span } from './budget-period';
import { ceilingOf, nanosOf } from '../../core/nanodollars';
import type { Prices } from '../provider/prices';
import { BudgetSpentError, Reservation, type Share } from './reservation';
import { mostNanos, pricesFor } from './spending-estimate';
import {
  SpendingRows,
  type Bound,
  type Settlement,
  type SpendingKey,
  type SpendingState,
  type SpendingView,
  type Taken,
} from './spending-rows.service';

/** Pause before a settlement that could not be written is tried again, in milliseconds. */
const RETRY_MS = 1_000;
/** The most calls whose reservations one statement makes. */
const MOST_TOGETHER = 64;
/** From this share on the owner gets a mail. Below it, a refused call was too large, but the budget is not spent. */
const NEARLY = 0.8;

export interface BudgetedKey {
  keyId: string;
  aiBudget: AiBudget;
}

/** A call counts towards the budgets of these and of its environment. */
export interface Payers {
  key?: BudgetedKey;
  /** The person who is answered, as `personOf` names them. */
  person?: string;
}

/** One budget, as it stands. */
export interface BudgetState extends SpendingView {
  span: Span;
  ceiling: number | null;
}

interface Request {
  bounds: readonly Bound[];
  taken?: Taken;
}

interface Charge {
  settlement: Settlement;
  share: Share;
}

/**
 * The budgets of environments, keys and persons. Before a call, the most that it can cost is reserved; afterwards its real cost
 * is charged (ADR 23).
 */
@Injectable()
export class Budgets implements OnApplicationShutdown {
  private readonly logger = new Logger(Budgets.name);
  private readonly requests = new Batcher<Request>((requests) => this.takeAll(requests), { size: MOST_TOGETHER });
  private readonly charges = new Batcher<Charge>((charges) => this.write(charges), {
    retryMs: RETRY_MS,
    onFailure: (err, waiting) => this.logger.debug({ err, waiting }, 'The cost of AI calls could not be recorded'),
  });
  /** How many batches of charges have been written. */
  private written = 0;
  /** The notices that the owner has got: the last ceiling and period for each budget and percentage. */
  private readonly told = new Map<string, string>();

  constructor(
    private readonly rows: SpendingRows,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  /** Runs after the last call. */
  async onApplicationShutdown(): Promise<void> {
    await this.charges.close();
  }

  /**
   * Reserves what a call may cost, in the UTC day and month of this moment.
   * @param isFinal false: after a refusal the caller asks for less, so the owner is not told of this one
   * @throws BudgetSpentError
   */
  async reserve(environment: Environment, payers: Payers, request: AiRequest, isFinal = true): Promise<Reservation> {
    const tables = pricesFor(request, this.settings.of(environment).ai.prices);
    return this.hold(environment, payers, mostNanos(request, tables), tables, isFinal);
  }

  /** As `reserve`, for work that costs an amount. @throws BudgetSpentError */
  reserveUsd(environment: Environment, payers: Payers, usd: number): Promise<Reservation> {
    return this.hold(environment, payers, nanosOf(usd), [], true);
  }

  private async hold(
    environment: Environment,
    payers: Payers,
    most: number,
    tables: readonly Prices[],
    isFinal: boolean,
  ): Promise<Reservation> {
    const shares = PERIODS.flatMap((period) => this.sharesOf(environment, payers, period));
    let isReserved = false;
    const reservation = new Reservation(shares, most, tables, {
      reserve: (of, amount) => this.take(of, amount, isFinal || isReserved),
      settle: (settlement, share) => this.charges.push({ settlement, share }),
    });
    await reservation.renew();
    isReserved = true;
    return reservation;
  }

  async read(environment: Environment, period: Period, key?: BudgetedKey): Promise<BudgetState> {
    const { key: of, span, ceiling } = this.sharesOf(environment, { key }, period).at(-1)!;
    await this.charges.flush();
    return { span, ceiling, ...(await this.rows.read(of)) };
  }

  /** The budget of the environment, then those of the payers. */
  private sharesOf(environment: Environment, { key, person }: Payers, period: Period): Share[] {
    const span = spanOf(period, this.clock.now());
    const share = (owner: string, usd: number | null, scope: Share['scope'] = 'budget'): Share => ({
      environment,
      key: { owner, period, startsOn: span.startsOn },
      span,
      usd,
      ceiling: ceilingOf(usd),
      scope,
    });
    const { budget, daily_usd_per_person: perPerson } = this.settings.of(environment).ai;
    const shares = [share(environment, period === 'day' ? budget.daily_usd : budget.monthly_usd)];
    if (key) shares.push(share(key.keyId, key.aiBudget[period === 'day' ? 'dailyUsd' : 'monthlyUsd']));
    if (person !== undefined && period === 'day' && perPerson !== null) shares.push(share(person, perPerson, 'person'));
    return shares;
  }

  /** @throws BudgetSpentError */
  private async take(shares: readonly Share[], amount: number, isFinal: boolean): Promise<SpendingState[]> {
    const bounds = shares.map(({ key, ceiling }) => ({ ...key, ceiling, amount }));
    const { written } = this;
    let taken = await this.ask(bounds);
    if (!taken.fits) {
      // Finished calls of this process may have left enough.
      await this.charges.flush();
      if (this.written !== written) taken = await this.ask(bounds);
    }
    const states = shares.map(({ key }) => taken.states.find((state) => isSame(state, key))!);
    if (taken.fits) return states;
    if (isFinal) await this.refused(shares, states, amount);
    const refusing = shares
      .map((share, index) => ({ share, state: states[index]! }))
      .filter(({ share: { ceiling }, state: { spent, held } }) => ceiling !== null && spent + held + amount > ceiling)
      // The budget that refuses the call for the longest time; for ever if the call costs more than the whole budget.
      .toSorted((one, other) => refusesUntil(other.share, amount) - refusesUntil(one.share, amount))[0]!;
    throw new BudgetSpentError(refusing.share, amount, refusing.state.spent, refusing.state.held);
  }

  private async ask(bounds: readonly Bound[]): Promise<Taken> {
    const request: Request = { bounds };
    await this.requests.add(request);
    return request.taken!;
  }

  /**
   * Reserves for concurrent calls in one statement: while a backup reads the database, each version of a row makes the next update
   * slower. If one call does not fit, each half is tried alone. If a half fails, the calls of the other half fail too, and
   * their reservations count as spent.
   */
  private async takeAll(requests: readonly Request[]): Promise<void> {
    const taken = await this.rows.reserve(sumsOf(requests.flatMap(({ bounds }) => bounds)));
    if (taken.fits || requests.length === 1) {
      for (const request of requests) request.taken = taken;
      return;
    }
    const half = requests.length >> 1;
    await this.takeAll(requests.slice(0, half));
    await this.takeAll(requests.slice(half));
  }

  private async write(charges: readonly Charge[]): Promise<void> {
    try {
      const rows = await this.rows.settle(charges.map(({ settlement }) => settlement));
      this.written += 1;
      for (const row of rows) {
        const { share } = charges.findLast(({ settlement }) => isSame(settlement, row))!;
        if (share.scope !== 'person' && isNearlySpent(row.spent, share.ceiling)) void this.tell(share, 80);
      }
    } catch (error) {
      // A second write would free the amounts twice. If they are not written, the reservations count as spent.
      if (isCertainlyUndone(error)) throw error;
      this.logger.warn({ err: error }, 'The cost of AI calls cannot be recorded: budgets count the maximum cost');
    }
  }

  /** Mails the owner, unless the call alone was too large. */
  private async refused(shares: readonly Share[], states: readonly SpendingState[], most: number): Promise<void> {
    for (const [index, share] of shares.entries()) {
      const { spent, refused } = states[index]!;
      const { ceiling, scope, key } = share;
      if (scope === 'person' || !isNearlySpent(spent, ceiling) || spent + most <= ceiling) continue;
      if (most > refused) await this.rows.refuse(key, most);
      await this.tell(share, 80);
      await this.tell(share, 100);
    }
  }

  /** Never rejects: after a failure, the next call of the budget tells the owner. */
  private async tell({ environment, key, ceiling }: Share, percent: 80 | 100): Promise<void> {
    const name = `${key.owner} ${key.period} ${percent}`;
    const notice = `${key.startsOn} ${ceiling}`;
    if (this.told.get(name) === notice) return;
    this.told.set(name, notice);
    await this.rows.notify(key, environment, percent, ceiling!).catch(() => this.told.delete(name));
  }
}

/** Sums the amounts of each budget. If a budget changed between two calls, the lower ceiling applies to both. */
function sumsOf(bounds: readonly Bound[]): Bound[] {
  const sums = new Map<string, Bound>();
  for (const bound of bounds) {
    const name = `${bound.owner} ${bound.period} ${bound.startsOn}`;
    const { amount, ceiling } = sums.get(name) ?? { amount: 0, ceiling: null };
    const lower = Math.min(ceiling ?? Infinity, bound.ceiling ?? Infinity);
    sums.set(name, { ...bound, amount: amount + bound.amount, ceiling: lower === Infinity ? null : lower });
  }
  return [...sums.values()];
}

function isSame(one: SpendingKey, other: SpendingKey): boolean {
  return one.owner === other.owner && one.period === other.period && one.startsOn === other.startsOn;
}

/** Until when a budget refuses a call of this cost, in Unix milliseconds. */
function refusesUntil({ ceiling, span }: Share, most: number): number {
  return most > ceiling! ? Infinity : span.end;
}

/** Whether so much is spent that a refusal means that the budget is spent. */
export function isNearlySpent(spent: number, ceiling: number | null): ceiling is number {
  return ceiling !== null && ceiling > 0 && spent >= NEARLY * ceiling;
}
