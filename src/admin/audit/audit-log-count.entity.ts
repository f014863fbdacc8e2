import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Entries of an hour that match some filters of the list, but for those of `audit_log_count_changes`. */
@Entity('audit_log_counts')
// With `count`, so that the list reads no row; of TypeORM's indexes, none can include a column.
@Index('audit_log_counts_unfiltered', { synchronize: false })
export class AuditLogCountEntity {
  /** An environment; empty: of the requests without a well-formed key. */
  @PrimaryColumn('text') owner!: string;
  /** `<key id>|<status>|<route>` or `<key id>|<status>|<route>|<method>`; an empty part counts all of its values. */
  @PrimaryColumn('text') facet!: string;
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date;
  @Column('bigint') count!: string;
}
