import { Entity, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

@Entity('rollups')
export class RollupEntity {
  @PrimaryColumn('text') name!: string;
  /** Everything created before this is in the roll-up, nothing after it is; `-infinity` at first. */
  @Timestamp() through!: Date | number;
}
