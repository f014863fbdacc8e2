import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Timestamp } from '../../core/database/columns';

/** SQL of the tokens that the model read, in rows named `usage`: the bill counts tokens of the provider's cache separately. */
export const READ_TOKENS = '(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens)';

/** The bill, by hour and model. Concurrent transactions bill to separate rows of an hour, a millisecond apart. */
@Entity('ai_usage')
export class AiUsageEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date;
  @PrimaryColumn('text') model!: string;
  @Column('bigint') requests!: string;
  @Column('bigint', { name: 'input_tokens' }) inputTokens!: string;
  @Column('bigint', { name: 'output_tokens' }) outputTokens!: string;
  @Column('bigint', { name: 'cache_read_tokens' }) cacheReadTokens!: string;
  @Column('bigint', { name: 'cache_write_tokens' }) cacheWriteTokens!: string;
  @Column('numeric', { name: 'cost_usd', precision: 18, scale: 8 }) costUsd!: string;
  /** When the newest answer of the row came; null if every request broke off or brought no text. */
  @Timestamp({ name: 'answered_at', nullable: true }) answeredAt!: Date | null;
}
