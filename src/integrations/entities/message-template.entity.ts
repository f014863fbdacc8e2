import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PlatformTemplate } from '#platforms';
import { Timestamp } from '../../core/database/columns';

/** A template of the WhatsApp business account, as of its last read. Test keys see the sandbox templates instead. */
@Entity('message_templates')
export class MessageTemplateEntity {
  @PrimaryColumn('text', { default: 'default' }) account!: string;
  @PrimaryColumn('text') name!: string;
  @PrimaryColumn('text') language!: string;
  /** The platform's own id. */
  @Column('text') id!: string;
  @Column('text') category!: string;
  @Column('text') status!: string;
  @Column('text', { name: 'parameter_format' }) parameterFormat!: PlatformTemplate['parameterFormat'];
  @Column('jsonb') components!: PlatformTemplate['components'];
  @Timestamp({ name: 'synced_at' }) syncedAt!: Date;
}
