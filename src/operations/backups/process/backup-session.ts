import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lowerPriority } from '../../../core/work/lower-priority';
import { PROJECT_ROOT } from '../../../core/project-root';
import { BackupFault } from '../archive/backup-fault';
import type { WrittenBackup } from '../archive/backup-writer';
import type { OnProgress } from '../archive/progress';
import type { BackupAnswer, BackupRequest, BackupTask } from './backup-messages';

/** The built program: one file without dependencies. */
const PROGRAM = join(PROJECT_ROOT, 'dist/bundle/backup-process.js');

/** The running Node, even if an upgrade has removed its file. */
const NODE = process.platform === 'linux' ? '/proc/self/exe' : process.execPath;

/** The program comes from stdin. */
const WORDS = ['-', 'backup-process'];

/** Reads the backup process's program. Call it at the start, before an upgrade can remove the file. */
export function readBackupProgram(): Promise<string> {
  return readFile(PROGRAM, 'utf8');
}

export interface CopyOptions {
  onProgress?: OnProgress;
  signal: AbortSignal;
}

/**
 * The one process that may make a backup (ADR 65). Its connection holds the backup lock, which ends with the
 * connection. The process exits when the gateway that started it stops or dies.
 */
export class BackupSession {
  private constructor(private readonly child: ChildProcess) {
    // Callers get the error; this listener prevents a crash.
    child.on('error', () => undefined);
  }

  /**
   * @param program from `readBackupProgram`
   * @param url of the database server, not of a pooler
   * @returns undefined while another session, on any instance, makes a backup
   * @throws when the database cannot be reached
   */
  static async begin(program: string, url: string): Promise<BackupSession | undefined> {
    const child = spawn(NODE, WORDS, { stdio: ['pipe', 'ignore', 'inherit', 'ipc'] });
    // If the process exits before it has read the program, its exit is reported instead of the write error.
    child.stdin!.on('error', () => undefined).end(program);
    const session = new BackupSession(child);
    try {
      if (child.pid !== undefined) lowerPriority(child.pid);
      const begun = await session.ask({ ask: 'begin', url });
      if (begun.answer === 'begun' && begun.locked) return session;
    } catch (error) {
      await session.end();
      throw error;
    }
    await session.end();
    return undefined;
  }

  /** Copies the database into a file, which appears only when it is complete. @throws when anything fails */
  async write(task: BackupTask, { onProgress, signal }: CopyOptions): Promise<WrittenBackup> {
    signal.throwIfAborted();
    const stop = (): void => tell(this.child, { ask: 'stop', reason: (signal.reason as Error).message });
    signal.addEventListener('abort', stop, { once: true });
    try {
      const end = await this.ask({ ask: 'write', task }, onProgress);
      if (end.answer !== 'written') throw new Error(`A backup process returned ${end.answer}`);
      return end.backup;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Releases the lock and waits until the process has exited. */
  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null || this.child.pid === undefined) return;
    const exited = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    await exited;
  }

  /** @returns the final answer @throws the failure of the process, or a BackupFault if it exits */
  private ask(request: BackupRequest, onProgress?: OnProgress): Promise<BackupAnswer> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const settle = (work: () => void): void => {
        child.off('message', onMessage).off('exit', onExit).off('error', onError);
        work();
      };
      const onMessage = (answer: BackupAnswer): void => {
        if (answer.answer === 'progress') onProgress?.(answer.share);
        else if (answer.answer === 'failed') settle(() => reject(errorOf(answer)));
        else settle(() => resolve(answer));
      };
      const onExit = (code: number | null, signal: string | null): void =>
        settle(() => reject(new BackupFault(`The backup process ended (${signal ?? `exit code ${code}`})`)));
      const onError = (error: Error): void => settle(() => reject(error));
      child.on('message', onMessage).on('exit', onExit).on('error', onError);
      child.send(request, (error) => error && onError(error));
    });
  }
}

/** Ignores send errors: the exit handler reports them. */
function tell(child: ChildProcess, request: BackupRequest): void {
  child.send(request, () => undefined);
}

function errorOf({ message, code, isFault }: Extract<BackupAnswer, { answer: 'failed' }>): Error {
  if (isFault) return new BackupFault(message);
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
