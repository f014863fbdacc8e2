import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../database/columns';

/** A request with an Idempotency-Key, and its answer. */
@Entity('idempotent_requests')
export class IdempotentRequestEntity {
  @PrimaryColumn('uuid', { name: 'api_key_id' }) apiKeyId!: string;
  @PrimaryColumn('text') key!: string;
  /** SHA-256 of the operation and the parsed body. */
  @Column('bytea') fingerprint!: Buffer;
  /** The id of the result, chosen before the work: after a crash, a row with this id shows that the work was done. */
  @Index('idempotent_requests_resource') @Column('uuid', { name: 'resource_id' }) resourceId!: string;
  /** Null while the first request is under way. */
  @Column('json', { nullable: true }) outcome!: Record<string, unknown> | null;
  /** Only the previous version reads and writes this column; the next version drops it. */
  @Column('boolean', { default: false }) awaited!: boolean;
  @Timestamp({ name: 'lease_until' }) leaseUntil!: Date;
  @Index('idempotent_requests_created') @Timestamp({ name: 'created_at' }) createdAt!: Date;
}
