import { spawn, type ChildProcess } from 'node:child_process';
import { runAs, type ServerAccount } from './run-as';

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Becomes the program by `exec`, so that the process Node knows *is* the program, and leaves a guard beside it: a
 * subshell that reads a pipe which only the gateway holds. A line means "it has ended, go"; the end of the pipe means
 * that the gateway is dead, however it died, so the guard asks for a fast shutdown and, half a minute later, an
 * immediate one. The guard is detached by a double fork: as a child of postgres, its end would be taken for the crash of
 * a server process. `$$` in a subshell is the process of the whole script. (POSIX sh: dash, busybox, bash.)
 *
 * Descriptor 8 is the liveness pipe, see previous-server.ts: every process that descends from this one holds it.
 */
const SCRIPT = `
sign_of_life=$1
shift
exec 3<&0 </dev/null
( (
  trap '' HUP INT QUIT TERM
  exec >/dev/null 2>&1
  read -r line <&3 && exit
  kill -INT $$
  seconds=0
  while [ $seconds -lt 30 ] && kill -0 $$; do sleep 1; seconds=$((seconds + 1)); done
  kill -0 $$ && kill -QUIT $$
) & )
exec 3<&-
if [ -n "$sign_of_life" ]; then
  [ -p "$sign_of_life" ] || mkfifo -m 600 "$sign_of_life"
  [ -p "$sign_of_life" ] && exec 8<>"$sign_of_life"
fi
exec "$@"
`;

export interface GuardedProcessOptions {
  readonly account: ServerAccount;
  readonly program: string;
  readonly args: readonly string[];
  /** The folder that the program works on. */
  readonly files: string;
  /** Descriptor that takes stdout and stderr; default: a pipe, see `output`. */
  readonly logDescriptor?: number;
  /** Path of the liveness pipe; default: none. */
  readonly livenessPipe?: string;
}

/**
 * A process that ends when this one dies, and not before a stop: it has its own session, so that Ctrl-C, a closed
 * terminal or a SIGTERM to the process group do not reach it.
 */
export class GuardedProcess {
  /** Settles when the process has ended, or could not be started at all (code null, signal null). */
  readonly exited: Promise<ExitStatus>;
  /** Output of the process, if there was no `logDescriptor`. */
  output = '';
  private readonly child: ChildProcess;

  constructor({ account, program, args, files, logDescriptor, livenessPipe = '' }: GuardedProcessOptions) {
    const script = ['/bin/sh', '-c', SCRIPT, 'sh', livenessPipe, program, ...args];
    const { file, args: words, options } = runAs(account, script, files);
    const output = logDescriptor ?? 'pipe';
    this.child = spawn(file, words, { ...options, detached: true, stdio: ['pipe', output, output] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    // The guard may be gone first, if someone kills it: the pipe then breaks, which changes nothing.
    this.child.stdin?.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.child.stdin?.end('ended\n');
        resolve({ code, signal });
      });
      this.child.once('error', (error) => {
        this.output += error.message;
        resolve({ code: null, signal: null });
      });
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}
