import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment, Scope } from '#contracts';
import type { Tier } from '../tiers';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

@Entity('api_keys')
@Index('api_keys_list', ['environment', 'createdAt', 'id'])
export class ApiKeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') name!: string;
  /** HMAC-SHA256 of the key under the pepper; credentials are looked up by it. */
  @Index('api_keys_digest', { unique: true }) @Column('bytea', { select: false }) digest!: Buffer;
  @Column('text', { name: 'last_four' }) lastFour!: string;
  @Column('text', { array: true }) scopes!: Scope[];
  @Column('text', { default: 'standard' }) tier!: Tier;
  @Column('text', { name: 'allowed_ips', array: true, default: [] }) allowedIps!: string[];
  @Column('integer', { name: 'requests_per_minute', nullable: true }) requestsPerMinute!: number | null;
  @Column('integer', { name: 'requests_per_hour', nullable: true }) requestsPerHour!: number | null;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  @Timestamp({ name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Timestamp({ name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
  @Timestamp({ name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
}
