import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../../core/database/advisory-locks';
import { DIRECT_CONNECTION } from '../../../core/database/connections/direct-connection';
import { BackupFault } from '../archive/backup-fault';
import { writeBackup, type WrittenBackup } from '../archive/backup-writer';
import { FORMAT } from '../archive/manifest';
import { Snapshot } from '../archive/snapshot';
import type { BackupAnswer, BackupRequest, BackupTask } from './backup-messages';

// The process that makes a backup, see backup-session.ts. It exits when the gateway disconnects from it, or dies.

/** Smallest step of progress that is reported, as a share. */
const STEP = 0.002;

const stop = new AbortController();
let client: Client | undefined;
let writing = false;

async function begin(url: string): Promise<void> {
  client = new Client({ ...DIRECT_CONNECTION, connectionString: url, application_name: 'messaging-gateway backup' });
  // The running statement reports a broken connection. Without this listener the process would end.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    ADVISORY_LOCKS.backups,
  ]);
  tell({ answer: 'begun', locked: rows[0]!.locked });
}

async function write(
  session: Client,
  { id, createdAt, path, key, identity, media }: BackupTask,
): Promise<WrittenBackup> {
  const snapshot = await Snapshot.open(session);
  let told = 0;
  const { schema, fingerprints, tables } = snapshot;
  return writeBackup(snapshot, {
    path,
    header: { format: FORMAT, id, created_at: createdAt, schema, fingerprints, tables },
    key: Buffer.from(key, 'hex'),
    identity,
    media,
    onProgress: (share) => {
      if (share < told + STEP) return;
      told = share;
      tell({ answer: 'progress', share });
    },
    signal: stop.signal,
  });
}

function handle(request: BackupRequest): void {
  switch (request.ask) {
    case 'begin':
      begin(request.url).catch(tellFailure);
      break;
    case 'write':
      writing = true;
      write(client!, request.task)
        .then((backup) => tell({ answer: 'written', backup }))
        .catch(tellFailure)
        .finally(() => (writing = false));
      break;
    case 'stop':
      stop.abort(new BackupFault(request.reason));
  }
}

function tell(answer: BackupAnswer): void {
  // Ignores send errors: the gateway has died, and `disconnect` ends this process.
  if (process.connected) process.send!(answer, () => undefined);
}

function tellFailure(error: NodeJS.ErrnoException): void {
  const { message, code } = error;
  const isFault = error instanceof BackupFault;
  tell({ answer: 'failed', message, isFault, ...(code !== undefined && { code }) });
}

process.on('message', handle);
process.once('disconnect', () => {
  // If the gateway dies during the write, the backup is lost: the next backup removes the partial file.
  if (writing || !client) process.exit();
  void client.end().finally(() => process.exit());
});
// A terminal and systemd signal every process of the gateway. This process waits for the gateway's message instead.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
