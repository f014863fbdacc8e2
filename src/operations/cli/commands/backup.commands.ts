import type { Command } from 'commander';
import { BackupListQuery, type BackupDto } from '../../backups/backup.dto';
import { BackupRunner } from '../../backups/backup-runner.service';
import { BackupsService } from '../../backups/backups.service';
import { restoreBackup, verifyBackup, type RestoreStep } from '../../backups/restore';
import { databaseLog } from '../../../core/database/data-source';
import { AFTER_RESTORE, restoreNotes } from '../after-restore';
import { allPages } from '../all-pages';
import { findBackup, listBackupFiles } from '../backup-file';
import { withContext, type CommandContext } from '../command-context';
import { openOrMakeDatabase } from '../database';
import { CommandFailure } from '../failure';
import { examples } from '../help';
import { table, type Output } from '../output';
import { Progress } from '../progress';
import { withServices } from '../services';

const SAMPLE = 'gateway-2026-01-31T03-00-00Z-bak_01h455vb4pex5vsknk084sn02q.tar.zst';
const ALLOW = [
  '--allow-unauthenticated',
  'accept a backup of an older version, which cannot be checked for modification',
] as const;
const FILE = [
  '<file>',
  'a path, a name in BACKUP_DIR, the id of a backup, or the URL of an object in S3-compatible storage',
] as const;

/** The step's name in the progress bar. */
const STEPS: Readonly<Record<RestoreStep, string>> = {
  verify: 'Verifying',
  load: 'Restoring',
  compare: 'Comparing',
};

export function addBackupCommands(program: Command): void {
  const backup = program.command('backup').description('Create, list, verify and restore backups');
  backup
    .command('create')
    .description('Create a backup in BACKUP_DIR, with a copy in BACKUP_S3_URL; waits if one is running')
    .option('--without-media', 'exclude message files; their records stay')
    .addHelpText('after', examples('backup create', 'backup create --without-media', 'backup create --json'))
    .action(withContext(createBackup));
  backup
    .command('list')
    .description('List the backups, newest first')
    .option('--from <place>', 'list the files in a folder or under an S3 URL, without a database')
    .addHelpText('after', examples('backup list', 'backup list --from https://KEY:SECRET@s3.example.com/bucket/prefix'))
    .action(withContext(listBackups));
  backup
    .command('verify')
    .argument(...FILE)
    .option(...ALLOW)
    .description('Verify a backup against its checksums, and the secrets against their fingerprints')
    .addHelpText('after', examples(`backup verify ${SAMPLE}`))
    .action(withContext(verify));
  backup
    .command('restore')
    .argument(...FILE)
    .option(...ALLOW)
    .description('Restore a backup into an empty database. Due deliveries and mails are held')
    .addHelpText('after', examples(`backup restore ${SAMPLE}`, 'webhooks resume'))
    .action(withContext(restore));
}

async function createBackup(context: CommandContext, { withoutMedia }: { withoutMedia?: true }): Promise<void> {
  const { output } = context;
  const progress = new Progress(output);
  const onProgress = (share: number): void => progress.show('Backing up', share);
  const backup = await withServices(context, async (services) => {
    const [runner, backups] = [services.get(BackupRunner), services.get(BackupsService)];
    const { backup: record, started } = await runner.start('cli', { media: !withoutMedia, onProgress });
    if (!started) output.note('A backup is already running: waiting for its end');
    await (started ? runner.ended() : runner.elsewhereEnded(record.id));
    progress.end();
    return backups.read(record.id);
  });
  if (backup.status === 'failed') throw new CommandFailure(`The backup ${backup.id} failed: ${backup.error}`);
  output.result(backup, [
    `${backup.id} is intact: ${backup.rows} rows, ${describeFiles(backup.files)}, ${backup.size_bytes} bytes, SHA-256 ${backup.sha256}`,
  ]);
}

/** @param files number of message files in a backup; null or undefined: the backup leaves them out */
function describeFiles(files: number | null | undefined): string {
  return `${files ?? 'no'} ${files === 1 ? 'file' : 'files'} of messages`;
}

async function listBackups(context: CommandContext, { from }: { from?: string }): Promise<void> {
  if (from !== undefined) return listFiles(context, from);
  const backups = await withServices(context, (services) =>
    allPages((page) => services.get(BackupsService).list(Object.assign(new BackupListQuery(), page))),
  );
  context.output.result(backups, table(['ID', 'STATUS', 'TRIGGER', 'STARTED', 'BYTES', 'ROWS'], backups.map(rowOf)));
}

async function listFiles({ configuration, output }: CommandContext, from: string): Promise<void> {
  const found = await listBackupFiles(configuration, from);
  const rows = found.map(({ id, created_at, size_bytes, encrypted, file }) => [
    id,
    created_at,
    String(size_bytes),
    encrypted ? 'yes' : 'no',
    file,
  ]);
  output.result(found, table(['ID', 'CREATED', 'BYTES', 'ENCRYPTED', 'FILE'], rows));
}

function rowOf({ id, status, trigger, started_at, size_bytes, rows }: BackupDto): string[] {
  return [id, status, trigger, started_at, String(size_bytes ?? '-'), String(rows ?? '-')];
}

interface TrustOptions {
  allowUnauthenticated?: true;
}

async function verify({ configuration, output }: CommandContext, file: string, options: TrustOptions): Promise<void> {
  const source = await findBackup(configuration, file);
  const progress = new Progress(output);
  const visitor = { progress: (share: number): void => progress.show(STEPS.verify, share) };
  const acceptUnauthenticated = acceptance(options, progress, output);
  const manifest = await verifyBackup(configuration, source, { acceptUnauthenticated, visitor }).finally(() =>
    progress.end(),
  );
  const { id, created_at, rows, tables, media } = manifest;
  output.result({ file: source.name, ...manifest }, [
    `${source.name} is intact: ${id} of ${created_at}, ${rows} rows in ${tables.length} tables, ${describeFiles(media?.files)}`,
  ]);
}

/** Prints the risk on stderr if the operator accepts it. */
function acceptance({ allowUnauthenticated }: TrustOptions, progress: Progress, output: Output) {
  if (!allowUnauthenticated) return undefined;
  return (risk: string): void => {
    progress.end();
    output.note(`${risk}. Make a new backup at once.`);
  };
}

async function restore(context: CommandContext, file: string, options: TrustOptions): Promise<void> {
  const { configuration, logger, output } = context;
  const source = await findBackup(configuration, file);
  const database = await openOrMakeDatabase(configuration, logger);
  const progress = new Progress(output);
  const onProgress = (step: RestoreStep, share: number): void => progress.show(STEPS[step], share);
  try {
    const acceptUnauthenticated = acceptance(options, progress, output);
    const restoreOptions = {
      url: database.url,
      source,
      log: databaseLog(logger),
      acceptUnauthenticated,
      onProgress,
    };
    const { manifest, afterwards } = await restoreBackup(configuration, restoreOptions, AFTER_RESTORE);
    progress.end();
    const { id, created_at, rows, media } = manifest;
    const files = media?.files ?? null;
    output.result({ id, created_at, rows, files, ...afterwards }, [
      `${id} of ${created_at} is restored and verified: ${rows} rows, ${describeFiles(files)}`,
      ...restoreNotes(afterwards),
    ]);
  } finally {
    progress.end();
    await database.close();
  }
}
