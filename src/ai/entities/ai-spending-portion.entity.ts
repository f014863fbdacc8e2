import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';
import type { Period } from '../usage/budget-period';

/** What one instance holds of a budget. When its lease has run out, the instance has died, and the amount counts as spent. */
@Entity('ai_spending_portions')
export class AiSpendingPortionEntity {
  @PrimaryColumn('uuid', { name: 'instance_id' }) instanceId!: string;
  @PrimaryColumn('text') owner!: string;
  @PrimaryColumn('text') period!: Period;
  @PrimaryColumn('date', { name: 'starts_on' }) startsOn!: string;
  /** Nanodollars. */
  @Column('bigint') amount!: string;
  @Timestamp({ name: 'lease_until' }) leaseUntil!: Date;
}
