import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The number of entries in an hour that match some filters of the list, without those in `audit_log_count_changes`. */
@Entity('audit_log_counts')
// The index includes `count`, so that the list reads no rows. TypeORM cannot declare included columns.
@Index('audit_log_counts_unfiltered', { synchronize: false })
export class AuditLogCountEntity {
  /** An environment, or empty for requests without a well-formed key. */
  @PrimaryColumn('text') owner!: string;
  /** `<key id>|<status>|<route>` or `<key id>|<status>|<route>|<method>`; an empty part stands for all values. */
  @PrimaryColumn('text') facet!: string;
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date;
  @Column('bigint') count!: string;
}
