import { Entity, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/** A MEDIA_DIR that an instance uses. Its id is in a file of the folder. */
@Entity('media_folders')
export class MediaFolderEntity {
  @PrimaryColumn('uuid') id!: string;
  @Timestamp({ name: 'seen_at' }) seenAt!: Date;
}
