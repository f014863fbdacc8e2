import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';
import type { BackupStatus, BackupTrigger } from './backup.dto';

@Entity('backups')
@Index('backups_list', ['createdAt', 'id'])
export class BackupEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') status!: BackupStatus;
  @Column('text') trigger!: BackupTrigger;
  /** Whether it includes the files of messages. */
  @Column('boolean', { default: true }) media!: boolean;
  /** The time of the scheduled run; unique, so that only one instance makes it. */
  @Timestamp({ name: 'scheduled_for', nullable: true, unique: true }) scheduledFor!: Date | null;
  @Timestamp({ name: 'started_at' }) createdAt!: Date;
  @Timestamp({ name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  @Column('bigint', { name: 'size_bytes', nullable: true }) sizeBytes!: string | null;
  @Column('text', { nullable: true }) sha256!: string | null;
  @Column('bigint', { nullable: true }) rows!: string | null;
  /** How many files of messages it holds; null if it leaves them out. */
  @Column('bigint', { nullable: true }) files!: string | null;
  @Column('text', { nullable: true }) error!: string | null;
  /** The file's name, set before it is written; null before, and after rotation has removed the file everywhere. */
  @Column('text', { nullable: true }) file!: string | null;
  /**
   * The id of the folder with the file. A file with neither folder nor copy: an older version made it, in an unknown
   * folder.
   */
  @Column('text', { nullable: true }) folder!: string | null;
  /** The address of the object storage that has a copy, without credentials. */
  @Column('text', { nullable: true }) remote!: string | null;
  /** When it was last read to its end. */
  @Timestamp({ name: 'verified_at', nullable: true }) verifiedAt!: Date | null;
  /** Why that verification failed; null if it succeeded. */
  @Column('text', { name: 'verify_error', nullable: true }) verifyError!: string | null;
  /** The last run of BACKUP_VERIFY_SCHEDULE that an instance took. */
  @Timestamp({ name: 'verify_scheduled_for', nullable: true }) verifyScheduledFor!: Date | null;
}
