import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Timestamp } from '../../core/database/columns';

/**
 * Bytes in the storage. The row is written before the bytes, and removed after them: whatever a crash leaves in the storage
 * has a row, so that the clean-up finds it.
 */
@Entity('media_files')
@Index('media_files_person', ['person', 'sizeBytes'], { where: 'person IS NOT NULL' })
export class MediaFileEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('text') sha256!: string;
  @Column('bigint', { name: 'size_bytes' }) sizeBytes!: string;
  /** When these bytes last came in: an attachment that refers to them is stored soon after. */
  @Timestamp({ name: 'touched_at' }) touchedAt!: Date;
  /** The person who first sent them, as `personOf` names them; null for bytes that a key uploaded. */
  @Column('text', { nullable: true }) person!: string | null;
}
