import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The part of `ai_usage` that a key caused. */
@Entity('ai_key_usage')
export class AiKeyUsageEntity {
  @PrimaryColumn('uuid', { name: 'api_key_id' }) apiKeyId!: string;
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date;
  @PrimaryColumn('text') model!: string;
  @Column('bigint') requests!: string;
  @Column('bigint', { name: 'input_tokens' }) inputTokens!: string;
  @Column('bigint', { name: 'output_tokens' }) outputTokens!: string;
  @Column('numeric', { name: 'cost_usd', precision: 18, scale: 8 }) costUsd!: string;
}
