import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';

/** Billable messages of a UTC day that has a limit: billed and reserved ones. */
@Entity('billable_days')
export class BillableDayEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('date') day!: string;
  @Column('integer') messages!: number;
}
