import { Entity, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/** A problem is hidden until it happens again after this. */
@Entity('problem_dismissals')
export class ProblemDismissalEntity {
  /** Derived from the environment, kind and cause of the problem. */
  @PrimaryColumn('uuid', { name: 'problem_id' }) problemId!: string;
  @Timestamp({ name: 'dismissed_at' }) dismissedAt!: Date;
}
