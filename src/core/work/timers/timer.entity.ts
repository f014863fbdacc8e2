import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../database/columns';

/** A periodic job. The instance that claims it sets its next time. */
@Entity('timers')
export class TimerEntity {
  @PrimaryColumn('text') name!: string;
  /** No instance claims the timer before this time: it is also the lease. */
  @Timestamp({ name: 'next_at', default: () => 'now()' }) nextAt!: Date;
  @Column('integer', { default: 0 }) fence!: number;
}
