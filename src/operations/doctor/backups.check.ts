import { Cron } from 'croner';
import { type DoctorCheck, type DoctorFinding, finding, healthy, NotCheckable } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import { describeError } from '../../core/doctor/describe-error';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { BACKUP_TRIGGERS } from '../backups/backup.dto';
import { LAST_BACKUPS, USED_SINCE } from '../backups/backup.rows';
import { readIdentity } from '../backups/archive/encryption';
import { BackupFolder } from '../backups/places/backup-folder';
import { parseBackupFileName } from '../backups/archive/manifest';

const WEEK_MS = 7 * 86_400_000;

interface Row {
  status: string;
  trigger: string;
  started_at: Date;
  error: string | null;
  file: string | null;
  folder: string | null;
}

/** Checks that backups are made as scheduled, and that their files exist. */
export class BackupsCheck implements DoctorCheck {
  readonly name = 'backups';
  readonly variables = ['BACKUP_SCHEDULE', 'BACKUP_DIR', 'BACKUP_KEEP', 'BACKUP_KEY_FILE', 'DATABASE_URL'];

  constructor(
    private readonly backups: Configuration['backups'],
    private readonly database: DoctorDatabase,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    const findings = await this.keyFile();
    try {
      findings.push(...(await this.made()));
    } catch (error) {
      if (!(error instanceof NotCheckable) || findings.length === 0) throw error;
    }
    return findings;
  }

  private async keyFile(): Promise<DoctorFinding[]> {
    if (this.backups.keyFile === undefined) return [];
    return readIdentity(this.backups.keyFile).then(
      () => [],
      (error: unknown) => [finding('backups.key-file', describeError(error))],
    );
  }

  private async made(): Promise<DoctorFinding[]> {
    const rows = await this.database.query<Row>(LAST_BACKUPS);
    const completed = rows.filter(({ status }) => status === 'completed');
    const [last] = rows;
    const [newest] = completed;
    const findings: DoctorFinding[] = [];
    if (last?.status === 'failed')
      findings.push(
        finding('backups.failing', `The backup of ${day(last.started_at)} failed: ${last.error ?? 'no reason'}`),
      );
    findings.push(...(await this.age(newest)), ...(await this.files(completed)));
    if (findings.length > 0) return findings;
    return [healthy(this.name, newest ? `the newest is of ${day(newest.started_at)}` : 'none yet')];
  }

  private async age(newest: Row | undefined): Promise<DoctorFinding[]> {
    const { schedule } = this.backups;
    const since = newest?.started_at ?? (await this.usedSince());
    if (since === undefined) return [];
    const what = newest ? `The newest backup is of ${day(newest.started_at)}` : 'There is no backup';
    if (schedule !== undefined) {
      const [, beforeLast] = new Cron(schedule, { timezone: 'UTC' }).previousRuns(2);
      const isOverdue = beforeLast !== undefined && since < beforeLast;
      return isOverdue ? [finding('backups.failing', `${what}; BACKUP_SCHEDULE is ${schedule}`)] : [];
    }
    return Date.now() - since.getTime() > WEEK_MS ? [finding('backups.none', what)] : [];
  }

  /** When the first key was created: a gateway without keys is not in use. */
  private async usedSince(): Promise<Date | undefined> {
    const [row] = await this.database.query<{ since: Date | null }>(USED_SINCE);
    return row?.since ?? undefined;
  }

  private async files(completed: readonly Row[]): Promise<DoctorFinding[]> {
    const folder = new BackupFolder(this.backups.directory);
    const id = await folder.id();
    const kept = BACKUP_TRIGGERS.flatMap((trigger) =>
      completed.filter((row) => row.trigger === trigger).slice(0, this.backups.keep),
    ).flatMap(({ file, folder: its }) =>
      file && parseBackupFileName(file) && its !== null && its === id ? [file] : [],
    );
    const there = await Promise.all(kept.map((file) => folder.has(file)));
    const gone = kept.filter((_, index) => !there[index]);
    if (gone.length === 0) return [];
    return [
      finding('backups.file-missing', `${gone.length} of ${kept.length} files are not in BACKUP_DIR: ${gone[0]}`),
    ];
  }
}

function day(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ');
}
