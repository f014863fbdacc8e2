import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Period } from '../usage/budget-period';

/** What an environment or a key has spent on the AI in one UTC day or month. Amounts in nanodollars. */
@Entity('ai_spending')
export class AiSpendingEntity {
  /** An environment, or the UUID of a key. */
  @PrimaryColumn('text') owner!: string;
  @PrimaryColumn('text') period!: Period;
  @PrimaryColumn('date', { name: 'starts_on' }) startsOn!: string;
  @Column('bigint', { default: 0 }) spent!: string;
  /** In the portions of all instances. */
  @Column('bigint', { default: 0 }) held!: string;
  /** The last portion that was asked for; 0: it was refused. */
  @Column('bigint', { default: 0 }) granted!: string;
  /** The largest call that was refused when little was left. */
  @Column('bigint', { default: 0 }) refused!: string;
}
