import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { newUuid, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { COMMIT_WITHOUT_WAITING, Database, statement } from '../../core/database/database.service';
import { ENDED, leaseOf } from '../../core/database/lease';
import { AiBudgetNoticeEntity } from '../entities/ai-budget-notice.entity';
import { AiSpendingPortionEntity } from '../entities/ai-spending-portion.entity';
import { AiSpendingEntity } from '../entities/ai-spending.entity';
import type { Period } from './budget-period';

/** Whose spending it is: an environment, or a key by its UUID. */
export interface SpendingKey {
  owner: string;
  period: Period;
  /** `2026-11-01` */
  startsOn: string;
}

/** What an instance tells of its portion. All amounts in nanodollars. */
export interface SpendingChange {
  /** Has been spent, `used` of it out of the portion. */
  spent: number;
  used: number;
  /** Amount returned from the portion. */
  back: number;
  /** Is needed beside the portion; 0: a new portion, if there is one; null: nothing. */
  need: number | null;
  /** Null: there is no budget. */
  ceiling: number | null;
}

export interface SpendingState {
  spent: number;
  /** In the portions of all instances. */
  held: number;
  granted: number;
}

/** Spending as the API shows it. */
export interface SpendingView {
  /** What portions of processes that died held is part of it. */
  spent: number;
  /** Amount held by portions of living processes. */
  held: number;
  /** The largest call that was refused when little was left. */
  refused: number;
}

const LEASE = leaseOf(30);
/** A portion is at most this part of what is left, unless one call needs more. */
export const PORTIONS = 100;

/** What earlier bills say is spent already: the budget is younger than the bill. */
const OPEN = statement(
  'ai-spending-open',
  `INSERT INTO ai_spending (owner, period, starts_on, spent)
   SELECT $1, $2, $3::date, coalesce((SELECT sum(ceil(cost_usd * 1000000000)) FROM ai_usage
     WHERE environment::text = $1 AND hour >= $3::date::timestamp AT TIME ZONE 'UTC'), 0)
   ON CONFLICT (owner, period, starts_on) DO NOTHING`,
);

const REST = '($9::bigint - p.spent - $4 - p.held + $5 + $6)';
const GRANT = `CASE WHEN $8::bigint IS NULL OR $9::bigint IS NULL THEN 0
  ELSE greatest(0, least(greatest($8::bigint, ${REST} / ${PORTIONS}), ${REST})) END`;

/**
 * One row is locked and decides: spent + held never exceeds the ceiling. What is spent moves from held to spent, so that
 * the sum stays the same, and a process that dies leaves what it held as spent.
 */
const exchange = (also: string) => `WITH pot AS (
    UPDATE ai_spending p SET spent = p.spent + $4::bigint, granted = ${GRANT},
      held = p.held - $5::bigint - $6::bigint + ${GRANT}
    WHERE owner = $1 AND period = $2 AND starts_on = $3::date
    RETURNING owner, period, starts_on, spent, held, granted
  ),
  portion AS (
    INSERT INTO ai_spending_portions AS mine (instance_id, owner, period, starts_on, amount, lease_until)
    SELECT $7::uuid, owner, period, starts_on, granted - $5::bigint - $6::bigint, ${LEASE} FROM pot
    ON CONFLICT (instance_id, owner, period, starts_on)
      DO UPDATE SET amount = mine.amount + excluded.amount, lease_until = excluded.lease_until
  )
  SELECT spent::float8, held::float8, granted::float8${also} FROM pot`;

const TAKE = statement('ai-spending-take', exchange(''));
/** A crash of PostgreSQL may undo it: the amount then stays held, and counts all the same. */
const SETTLE = statement('ai-spending-settle', exchange(`, ${COMMIT_WITHOUT_WAITING}`));

const EXTEND = statement(
  'ai-spending-extend',
  `UPDATE ai_spending_portions SET lease_until = ${LEASE} WHERE instance_id = $1 AND amount > 0`,
);

const READ = statement(
  'ai-spending-read',
  `SELECT refused::float8, (spent + lost)::float8 AS spent, (held - lost)::float8 AS held
   FROM ai_spending p CROSS JOIN LATERAL (
     SELECT coalesce(sum(amount), 0) AS lost FROM ai_spending_portions q
     WHERE q.owner = p.owner AND q.period = p.period AND q.starts_on = p.starts_on AND q.lease_until < now()
   ) dead
   WHERE owner = $1 AND period = $2 AND starts_on = $3::date`,
);

const REFUSED = statement(
  'ai-spending-refused',
  `UPDATE ai_spending SET refused = $4 WHERE owner = $1 AND period = $2 AND starts_on = $3::date AND refused < $4`,
);

export const END_PORTION_LEASES = `UPDATE ai_spending_portions SET lease_until = ${ENDED} WHERE lease_until > now()`;

/** What is spent, and what this process and the others hold of the rest, in the database. */
@Injectable()
export class SpendingRows {
  /** This process: its portions are not those of the one before it. */
  private readonly instanceId = newUuid();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @InjectRepository(AiSpendingEntity) private readonly spending: Repository<AiSpendingEntity>,
    @InjectRepository(AiSpendingPortionEntity) private readonly portions: Repository<AiSpendingPortionEntity>,
    @InjectRepository(AiBudgetNoticeEntity) private readonly notices: Repository<AiBudgetNoticeEntity>,
  ) {}

  /** Call it once for each key before any exchange. */
  async open(key: SpendingKey): Promise<void> {
    await this.database.query(OPEN, valuesOf(key));
  }

  async exchange(key: SpendingKey, { spent, used, back, need, ceiling }: SpendingChange): Promise<SpendingState> {
    const values = [...valuesOf(key), spent, used, back, this.instanceId, need, ceiling];
    const [state] = await this.database.query<SpendingState & { [column: string]: unknown }>(
      need === null ? SETTLE : TAKE,
      values,
    );
    return state!;
  }

  /** Says that this process lives, so that its portions are not lost. */
  async extend(): Promise<void> {
    await this.database.query(EXTEND, [this.instanceId]);
  }

  async read(key: SpendingKey): Promise<SpendingView> {
    const [row] = await this.database.query<SpendingView & Record<string, unknown>>(READ, valuesOf(key));
    return row ?? { spent: 0, held: 0, refused: 0 };
  }

  async refuse(key: SpendingKey, amount: number): Promise<void> {
    await this.database.query(REFUSED, [...valuesOf(key), amount]);
  }

  /** The owner is told once of each percentage of a budget. */
  async notify(key: SpendingKey, environment: Environment, percent: 80 | 100, ceiling: number): Promise<void> {
    const notice = { id: newUuid(this.clock.now()), environment, ...key, percent, ceiling: String(ceiling) };
    await this.notices
      .createQueryBuilder()
      .insert()
      .values({ ...notice, createdAt: () => 'now()' })
      .orIgnore()
      .execute();
  }

  /** @param before the day: `2026-11-01` */
  async deleteOld(before: string): Promise<void> {
    const old = { startsOn: LessThan(before) };
    await this.portions.delete(old);
    await this.spending.delete(old);
    await this.notices.delete(old);
  }
}

function valuesOf({ owner, period, startsOn }: SpendingKey): string[] {
  return [owner, period, startsOn];
}
