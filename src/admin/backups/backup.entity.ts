import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';
import type { BackupStatus, BackupTrigger } from './backup.dto';

@Entity('backups')
@Index('backups_list', ['createdAt', 'id'])
export class BackupEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') status!: BackupStatus;
  @Column('text') trigger!: BackupTrigger;
  /** Whether it is to hold the files of messages. */
  @Column('boolean', { default: true }) media!: boolean;
  /** Which run of the schedule it is: instances make it once between them. */
  @Timestamp({ name: 'scheduled_for', nullable: true, unique: true }) scheduledFor!: Date | null;
  @Timestamp({ name: 'started_at' }) createdAt!: Date;
  @Timestamp({ name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  @Column('bigint', { name: 'size_bytes', nullable: true }) sizeBytes!: string | null;
  @Column('text', { nullable: true }) sha256!: string | null;
  @Column('bigint', { nullable: true }) rows!: string | null;
  /** How many files of messages it holds; null: it leaves them out. */
  @Column('bigint', { nullable: true }) files!: string | null;
  @Column('text', { nullable: true }) error!: string | null;
  /** The file's name, wherever it may be from now on; null before, and once it was rotated away everywhere. */
  @Column('text', { nullable: true }) file!: string | null;
  /** The id of the folder that has the file. Null with a file and without a copy: an older version made it, in a folder that it did not name. */
  @Column('text', { nullable: true }) folder!: string | null;
  /** The address of the object storage that has a copy, without credentials. */
  @Column('text', { nullable: true }) remote!: string | null;
  /** When it was last read to its end. */
  @Timestamp({ name: 'verified_at', nullable: true }) verifiedAt!: Date | null;
  /** Why it could not be restored then. */
  @Column('text', { name: 'verify_error', nullable: true }) verifyError!: string | null;
  /** The last run of BACKUP_VERIFY_SCHEDULE that an instance took. */
  @Timestamp({ name: 'verify_scheduled_for', nullable: true }) verifyScheduledFor!: Date | null;
}
