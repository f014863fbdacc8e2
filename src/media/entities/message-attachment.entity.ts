import { Entity, Column, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { AttachmentEntity } from './attachment.entity';

/** An attachment of a message. An uploaded file may be sent in several messages. */
@Entity('message_attachments')
export class MessageAttachmentEntity {
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  /** From 0, in the order in which they were sent. */
  @PrimaryColumn('integer') position!: number;
  @Index('message_attachments_uses') @Column('uuid', { name: 'attachment_id' }) attachmentId!: string;
  @ManyToOne(() => AttachmentEntity)
  @JoinColumn({ name: 'attachment_id', foreignKeyConstraintName: 'message_attachments_attachment' })
  attachment?: AttachmentEntity;
}
