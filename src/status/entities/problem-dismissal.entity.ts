import { Entity, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/** Hides a problem until it happens again after `dismissedAt`. */
@Entity('problem_dismissals')
export class ProblemDismissalEntity {
  /** Derived from the environment, kind and cause of the problem. */
  @PrimaryColumn('uuid', { name: 'problem_id' }) problemId!: string;
  @Timestamp({ name: 'dismissed_at' }) dismissedAt!: Date;
}
