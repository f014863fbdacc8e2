import { Injectable } from '@nestjs/common';
import { EntityManager, MoreThan } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { BackupEntity } from '../../../operations/backups/backup.entity';
import { MOST_COUNTED, MOST_SAMPLES, type Problem, type ProblemSource } from '../problem';

const NEWEST_FIRST = { createdAt: 'DESC', id: 'DESC' } as const;

/**
 * Backups that failed since the last good backup, or a newest backup that did not verify. Backups belong to the live
 * environment.
 */
@Injectable()
export class BackupProblems implements ProblemSource {
  constructor(private readonly rows: EntityManager) {}

  async find(environment: Environment): Promise<Problem[]> {
    if (environment !== 'live') return [];
    const good = await this.rows.findOne(BackupEntity, { where: { status: 'completed' }, order: NEWEST_FIRST });
    const where = { status: 'failed' as const, ...(good && { createdAt: MoreThan(good.createdAt) }) };
    const failed = await this.rows.find(BackupEntity, { where, order: NEWEST_FIRST, take: MOST_COUNTED });
    if (failed.length > 0) {
      const title = failed.length === 1 ? 'The last backup failed.' : `The last ${failed.length} backups failed.`;
      return [toProblem('failed', title, failed)];
    }
    if (good?.verifyError) return [toProblem('unreadable', 'The verification of the newest backup failed.', [good])];
    return [];
  }
}

/** @param backups at least one, newest first */
function toProblem(cause: string, title: string, backups: readonly BackupEntity[]): Problem {
  const id = toPublicId('backup', backups[0]!.id);
  const timeOf = ({ verifiedAt, finishedAt, createdAt }: BackupEntity) => verifiedAt ?? finishedAt ?? createdAt;
  return {
    kind: 'backup_failed',
    cause,
    severity: 'critical',
    title,
    count: backups.length,
    firstAt: timeOf(backups.at(-1)!),
    lastAt: timeOf(backups[0]!),
    subject: { type: 'backup', id },
    samples: backups.slice(0, MOST_SAMPLES).map((backup) => toPublicId('backup', backup.id)),
  };
}
