import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import type { Period } from '../usage/budget-period';

/** A percentage of a budget is spent. `webhooks/mail` mails it to the owner under the same id. */
@Entity('ai_budget_notices')
@Index('ai_budget_notices_once', ['owner', 'period', 'startsOn', 'percent', 'ceiling'], { unique: true })
export class AiBudgetNoticeEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') owner!: string;
  @Column('text') period!: Period;
  @Column('date', { name: 'starts_on' }) startsOn!: string;
  @Column('smallint') percent!: number;
  /** Nanodollars. */
  @Column('bigint') ceiling!: string;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
}
