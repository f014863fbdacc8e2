import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';

/** A UTC day with a limit of billable messages: those that were billed, and those that are reserved. */
@Entity('billable_days')
export class BillableDayEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('date') day!: string;
  @Column('integer') messages!: number;
}
