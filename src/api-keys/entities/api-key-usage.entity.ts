import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The requests with a key in an hour. */
@Entity('api_key_usage')
export class ApiKeyUsageEntity {
  @PrimaryColumn('uuid', { name: 'api_key_id' }) apiKeyId!: string;
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date;
  @Column('bigint') requests!: string;
  /** Requests that were answered with 401, 403 or 429. */
  @Column('bigint') refusals!: string;
}
