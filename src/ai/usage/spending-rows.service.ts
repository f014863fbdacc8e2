import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { newUuid, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { AiBudgetNoticeEntity } from '../entities/ai-budget-notice.entity';
import { AiSpendingEntity } from '../entities/ai-spending.entity';
import type { Period } from './budget-period';
import { OPEN, RESERVE, SETTLE, READ, REFUSED } from './spending.rows';

/** The owner of the spending: an environment, a key by its UUID, or a person. */
export interface SpendingKey {
  owner: string;
  period: Period;
  /** `2026-11-01` */
  startsOn: string;
}

/** A budget from which calls reserve. Amounts in nanodollars. */
export interface Bound extends SpendingKey {
  /** Null: no limit, but reservations are counted anyway. */
  ceiling: number | null;
  amount: number;
}

/** A budget's spending. All amounts in nanodollars. */
export interface SpendingView {
  /** Includes old reservations that were never settled: their process has probably died. */
  spent: number;
  /** Reserved by calls under way. */
  held: number;
  /** The largest call that was refused when little was left. */
  refused: number;
}

/** The amount as a call found it. */
export interface SpendingState extends SpendingView, SpendingKey {
  /** Settle what the call reserved in the same round. */
  round: number;
}

export interface Taken {
  fits: boolean;
  states: SpendingState[];
}

/** The amounts that a call has spent, or needs no longer, in nanodollars. */
export interface Settlement extends SpendingKey {
  round: number;
  spent: number;
  /** The amount that is no longer reserved. */
  freed: number;
}

/** The spent and reserved amounts of each budget: one row for each day and month, shared by all instances. */
@Injectable()
export class SpendingRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @InjectRepository(AiBudgetNoticeEntity) private readonly notices: Repository<AiBudgetNoticeEntity>,
  ) {}

  /**
   * Reserves of all budgets, or of none.
   * @returns the budgets as the statement found them, and whether the amounts are reserved
   */
  async reserve(bounds: readonly Bound[]): Promise<Taken> {
    const values = [...columnsOf(bounds), bounds.map(({ ceiling }) => ceiling), bounds.map(({ amount }) => amount)];
    const ask = () =>
      this.database.query<SpendingState & { fits: boolean; [column: string]: unknown }>(RESERVE, values);
    let states = await ask();
    if (states.length < bounds.length) {
      await this.database.query(OPEN, columnsOf(bounds));
      states = await ask();
    }
    return { fits: states[0]!.fits, states };
  }

  /** @returns the amount spent of each budget */
  async settle(settlements: readonly Settlement[]): Promise<(SpendingKey & { spent: number })[]> {
    const rows = settlements.map(({ startsOn: starts_on, ...settlement }) => ({ ...settlement, starts_on }));
    return this.database.query<SpendingKey & { spent: number; [column: string]: unknown }>(SETTLE, [
      JSON.stringify(rows),
    ]);
  }

  async read(key: SpendingKey): Promise<SpendingView> {
    const ask = () => this.database.query<SpendingView & Record<string, unknown>>(READ, valuesOf(key));
    let [row] = await ask();
    if (!row) {
      await this.database.query(OPEN, columnsOf([key]));
      [row] = await ask();
    }
    return row!;
  }

  async refuse(key: SpendingKey, amount: number): Promise<void> {
    await this.database.query(REFUSED, [...valuesOf(key), amount]);
  }

  /** The owner gets one mail for each percentage of a budget. */
  async notify(key: SpendingKey, environment: Environment, percent: 80 | 100, ceiling: number): Promise<void> {
    const { owner, period, startsOn } = key;
    const id = newUuid(this.clock.now());
    await this.notices
      .createQueryBuilder()
      .insert()
      .values({ id, environment, owner, period, startsOn, percent, ceiling: String(ceiling), createdAt: () => 'now()' })
      .orIgnore()
      .execute();
  }
}

/** Selects the spending that began before a day. @param owners SQL pattern of the names of its owners */
export function spendingBefore(rows: EntityManager, before: Date, owners = '%'): SelectQueryBuilder<AiSpendingEntity> {
  return rows
    .createQueryBuilder(AiSpendingEntity, 'old')
    .where('old.startsOn < :before AND old.owner LIKE :owners', { before, owners });
}

function columnsOf(keys: readonly SpendingKey[]): string[][] {
  return [keys.map(({ owner }) => owner), keys.map(({ period }) => period), keys.map(({ startsOn }) => startsOn)];
}

function valuesOf({ owner, period, startsOn }: SpendingKey): string[] {
  return [owner, period, startsOn];
}
