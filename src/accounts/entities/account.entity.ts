import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DEFAULT_ACCOUNT, type Environment, type Platform } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import type { AccountSettings } from '../account-settings';

export const ACCOUNT_SOURCES = ['environment', 'api'] as const;
export type AccountSource = (typeof ACCOUNT_SOURCES)[number];

/** A bot or number of a platform. Each platform has a row for the account of the environment, configured or not. */
@Entity('accounts')
@Index('accounts_name', ['environment', 'platform', 'name'], {
  unique: true,
  where: `deleted_at IS NULL AND source = 'api'`,
})
@Index('accounts_external', ['environment', 'platform', 'externalId'], { unique: true })
@Index('accounts_environment', ['environment', 'platform'], { unique: true, where: `source = 'environment'` })
export class AccountEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') platform!: Platform;
  @Column('text') source!: AccountSource;
  @Column('text') name!: string;
  /** The bot's or number's id at the platform; null for the account of the environment. */
  @Column('text', { name: 'external_id', nullable: true }) externalId!: string | null;
  /** Sealed JSON, bound to the id; null for the account of the environment. */
  @Column('bytea', { nullable: true }) credentials!: Buffer | null;
  @Column('jsonb', { default: {} }) settings!: AccountSettings;
  @Column('boolean', { default: true }) enabled!: boolean;
  /** Set where a user chose it; without a choice, the oldest account is the default. */
  @Column('boolean', { name: 'is_default', default: false }) isDefault!: boolean;
  /** Counts changes of the credentials: each instance connects again with the new ones. */
  @Column('integer', { default: 1 }) version!: number;
  @Timestamp({ name: 'created_at', default: () => 'now()' }) createdAt!: Date;
  @Timestamp({ name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
}

/** The value of `account` in the rows of an account. */
export function accountKey({ id, source }: Pick<AccountEntity, 'id' | 'source'>): string {
  return source === 'environment' ? DEFAULT_ACCOUNT : id;
}
