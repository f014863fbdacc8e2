import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../database/columns';

/** Due work: a conversation with data left to remove. The row is deleted with the last of the data. */
@Entity('erasures')
export class ErasureEntity {
  @PrimaryColumn('uuid', { name: 'conversation_id' }) conversationId!: string;
  @EnvironmentColumn() environment!: Environment;
  @Timestamp({ name: 'erased_at' }) erasedAt!: Date;
  @Index('erasures_due') @Timestamp({ name: 'next_at' }) nextAt!: Date;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How many times in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('erasures_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
