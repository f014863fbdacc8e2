import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

@Entity('audit_log')
@Index('audit_log_list', ['environment', 'createdAt', 'id'])
@Index('audit_log_key', ['apiKeyId', 'createdAt', 'id'])
// The partial indexes leave out the most frequent status, method and route, which would cost more than they save.
@Index('audit_log_status', ['environment', 'status', 'createdAt', 'id'], { where: 'status <> 200' })
@Index('audit_log_method', ['environment', 'method', 'createdAt', 'id'], { where: `method <> 'POST'` })
@Index('audit_log_request', ['requestId'])
@Index('audit_log_route', ['environment', 'route', 'createdAt', 'id'], {
  where: `route <> '/api/v1/messages/send'`,
})
export class AuditEntryEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Null if the request had no well-formed key, or if the row is shared by an address. */
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
  /** How many requests share the row: one, unless many were refused. */
  @Column('integer', { default: 1 }) count!: number;
  /** When the last of these requests was answered; null if the row is not shared. */
  @Timestamp({ name: 'last_at', nullable: true }) lastAt!: Date | null;
}
