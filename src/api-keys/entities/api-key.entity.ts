import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment, Scope } from '#contracts';
import type { Tier } from '../policy/tiers';
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
  /** US dollars in a UTC day and month; null: no ceiling of its own. */
  @Column('double precision', { name: 'ai_budget_daily_usd', nullable: true }) aiBudgetDailyUsd!: number | null;
  @Column('double precision', { name: 'ai_budget_monthly_usd', nullable: true }) aiBudgetMonthlyUsd!: number | null;
  /** The models that a request may name; empty: all. */
  @Column('text', { name: 'ai_models', array: true, default: [] }) aiModels!: string[];
  /** The id of a key, `start` or `cli`; null: made before this was noted. */
  @Column('text', { name: 'created_by', nullable: true }) createdBy!: string | null;
  /** Hash of the value that the last roll replaced; it is accepted until `previousEndsAt`. */
  @Index('api_keys_previous_digest', { unique: true })
  @Column('bytea', { name: 'previous_digest', nullable: true, select: false })
  previousDigest!: Buffer | null;
  @Timestamp({ name: 'previous_ends_at', nullable: true }) previousEndsAt!: Date | null;
  /** Hashes of all rolled values: a start with one of them as `BOOTSTRAP_API_KEY` must not make it a key again. */
  @Column('bytea', { name: 'retired_digests', array: true, default: [], select: false }) retiredDigests!: Buffer[];
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  @Timestamp({ name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Timestamp({ name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
  /** The address of that use; null: never used, or not since this was noted. */
  @Column('text', { name: 'last_address', nullable: true }) lastAddress!: string | null;
  @Timestamp({ name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
}
