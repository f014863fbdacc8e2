import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AiProviderName } from '#contracts';
import { Timestamp } from '../../core/database/columns';

/** How the API reaches a provider. It is for live keys and people: the sandbox has no provider. */
@Entity('ai_providers')
export class AiProviderEntity {
  @PrimaryColumn('text') name!: AiProviderName;
  /** Encrypted (AES-256-GCM), bound to the provider and its address; null for a server without keys. */
  @Column('bytea', { name: 'api_key', nullable: true }) apiKey!: Buffer | null;
  @Column('text', { name: 'base_url', nullable: true }) baseUrl!: string | null;
  @Timestamp({ name: 'set_at' }) setAt!: Date;
}
