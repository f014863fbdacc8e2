import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/** A change of the number of entries that `audit_log_counts` does not include yet. Triggers of `audit_log` write it. */
@Entity('audit_log_count_changes')
export class AuditLogCountChangeEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  /** An environment, or empty for requests without a well-formed key. */
  @Column('text') owner!: string;
  @Column('uuid', { name: 'api_key_id', nullable: true }) apiKeyId!: string | null;
  @Column('integer') status!: number;
  @Column('text', { nullable: true }) route!: string | null;
  @Column('text') method!: string;
  @Timestamp() hour!: Date;
  @Column('integer') change!: number;
}
