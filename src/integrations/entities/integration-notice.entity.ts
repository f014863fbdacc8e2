import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type NoticeSeverity, type Platform } from '#contracts';
import { Timestamp } from '../../core/database/columns';

/** The notices of a platform about an account that have one cause and are a problem. */
@Entity('integration_notices')
export class IntegrationNoticeEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text', { default: 'default' }) account!: string;
  /** The notice's kind, and what it is about if the kind concerns several things. */
  @PrimaryColumn('text') cause!: string;
  @Column('text') severity!: Exclude<NoticeSeverity, 'info'>;
  /** The sentence of the newest notice. */
  @Column('text') message!: string;
  /** Since `firstAt`. */
  @Column('integer', { default: 1 }) count!: number;
  /** The newest events, newest first. */
  @Column('uuid', { name: 'event_ids', array: true }) eventIds!: string[];
  @Timestamp({ name: 'first_at' }) firstAt!: Date;
  @Timestamp({ name: 'last_at' }) lastAt!: Date;
}
