import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Period } from '../usage/budget-period';

/** The AI spending of an environment, a key or a person in one UTC day or month. Amounts in nanodollars. */
@Entity('ai_spending')
export class AiSpendingEntity {
  /** An environment, the UUID of a key, or a person as `personOf` names them. */
  @PrimaryColumn('text') owner!: string;
  @PrimaryColumn('text') period!: Period;
  @PrimaryColumn('date', { name: 'starts_on' }) startsOn!: string;
  @Column('bigint', { default: 0 }) spent!: string;
  /** Reserved by calls under way, over all instances. */
  @Column('bigint', { default: 0 }) held!: string;
  /** The part of `held` that was reserved in the round before `round`. */
  @Column('bigint', { name: 'held_before', default: 0 }) heldBefore!: string;
  /** The round of the last reservation. */
  @Column('bigint', { default: 0 }) round!: string;
  /** Only earlier versions write it. */
  @Column('bigint', { default: 0 }) granted!: string;
  /** The largest call that was refused when little was left. */
  @Column('bigint', { default: 0 }) refused!: string;
}
