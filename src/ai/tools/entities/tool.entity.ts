import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../../core/database/columns';
import type { JsonSchema } from '../schema/schema-fault';

/** A tool that the assistant may call: where its receiver is, and how the model is told of it. */
@Entity('tools')
@Index('tools_name', ['environment', 'name'], { unique: true })
export class ToolEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') name!: string;
  @Column('text') description!: string;
  /** JSON Schema of the arguments. */
  @Column('json') parameters!: JsonSchema;
  @Column('text') url!: string;
  @Column('integer', { name: 'timeout_seconds' }) timeoutSeconds!: number;
  @Column('boolean') enabled!: boolean;
  /** Encrypted (AES-256-GCM), bound to the row's id. */
  @Column('bytea', { select: false }) secret!: Buffer;
  /** The secret before the last change; it signs beside the new one until `previousSecretUntil`. */
  @Column('bytea', { name: 'previous_secret', nullable: true, select: false }) previousSecret!: Buffer | null;
  @Timestamp({ name: 'previous_secret_until', nullable: true, select: false }) previousSecretUntil!: Date | null;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  @Timestamp({ name: 'updated_at' }) updatedAt!: Date;
}
