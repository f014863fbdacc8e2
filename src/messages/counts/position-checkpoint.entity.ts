import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Direction, type Environment, type Platform } from '#contracts';

/** How many messages of a partition were created before a moment: `*` stands for all platforms, or both directions. */
@Entity('message_ranks')
@Index('message_ranks_rank', ['environment', 'platform', 'direction', 'rank'], { unique: true })
export class PositionCheckpointEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('text') platform!: Platform | '*';
  @PrimaryColumn('text') direction!: Direction | '*';
  @PrimaryColumn('timestamptz', { precision: 3 }) at!: Date;
  @Column('bigint') rank!: string;
}
