import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';
import type { BackupStatus, BackupTrigger } from './backup.dto';

@Entity('backups')
@Index('backups_list', ['createdAt', 'id'])
export class BackupEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') status!: BackupStatus;
  @Column('text') trigger!: BackupTrigger;
  /** Which run of the schedule it is: instances make it once between them. */
  @Timestamp({ name: 'scheduled_for', nullable: true, unique: true }) scheduledFor!: Date | null;
  @Timestamp({ name: 'started_at' }) createdAt!: Date;
  @Timestamp({ name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  @Column('bigint', { name: 'size_bytes', nullable: true }) sizeBytes!: string | null;
  @Column('text', { nullable: true }) sha256!: string | null;
  @Column('bigint', { nullable: true }) rows!: string | null;
  @Column('text', { nullable: true }) error!: string | null;
  /** The file's name in BACKUP_DIR, where it may be from now on; null before, and once it was rotated away. */
  @Column('text', { nullable: true }) file!: string | null;
}
