import { Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/** A message of an erased conversation, by its id at the platform: if the platform delivers it again, it is known. */
@Entity('erased_message_ids')
export class ErasedMessageIdEntity {
  /** HMAC of environment, platform and id: the id itself is personal data. */
  @PrimaryColumn('bytea') digest!: Buffer;
  @Index('erased_message_ids_erased') @Timestamp({ name: 'erased_at' }) erasedAt!: Date;
}
