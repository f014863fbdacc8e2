import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Direction, type Environment, type Platform } from '#contracts';

@Entity('message_counts')
export class MessageCountEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text') direction!: Direction;
  @Column('bigint') count!: string;
}
