import { Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/** The platform's id of an erased message, so that the gateway drops the message if the platform delivers it again. */
@Entity('erased_message_ids')
export class ErasedMessageIdEntity {
  /** HMAC of environment, platform and id: the id itself is personal data. */
  @PrimaryColumn('bytea') digest!: Buffer;
  @Index('erased_message_ids_erased') @Timestamp({ name: 'erased_at' }) erasedAt!: Date;
}
