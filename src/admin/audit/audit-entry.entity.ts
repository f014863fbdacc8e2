import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

@Entity('audit_log')
@Index('audit_log_list', ['environment', 'createdAt', 'id'])
@Index('audit_log_key', ['apiKeyId', 'createdAt', 'id'])
export class AuditEntryEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Null if the request presented no valid key. */
  @EnvironmentColumn({ nullable: true }) environment!: Environment | null;
  @Column('uuid', { name: 'api_key_id', nullable: true }) apiKeyId!: string | null;
  @Column('text', { name: 'masked_key', nullable: true }) maskedKey!: string | null;
  @Column('text') method!: string;
  /** The path without its query string, which may carry a key. */
  @Column('text') path!: string;
  @Column('text', { nullable: true }) route!: string | null;
  @Column('text', { name: 'client_ip' }) clientIp!: string;
  @Column('integer') status!: number;
  @Column('uuid', { name: 'request_id' }) requestId!: string;
  @Column('double precision', { name: 'duration_ms' }) durationMs!: number;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
}
