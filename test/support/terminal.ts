import { spawn } from 'node:child_process';
import { processEnvironment, ROOT } from './environment';

/** `text` is typed once new output matches `after`. */
export interface Typed {
  after: RegExp;
  text: string;
}

export interface TerminalResult {
  code: number | null;
  /** Everything the terminal shows: typed input, stdout and stderr. */
  shown: string;
}

/** Runs a line of sh(1) on a terminal that script(1) emulates. */
export async function onTerminal(
  command: string,
  { env = {}, typed = [] }: { env?: NodeJS.ProcessEnv; typed?: readonly Typed[] } = {},
): Promise<TerminalResult> {
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: ROOT,
    env: { ...processEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const left = [...typed];
  let shown = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (!left[0]?.after.test(shown.slice(seen))) return;
    seen = shown.length;
    child.stdin.write(left.shift()!.text);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown };
}

/** Runs a command of the built CLI on a terminal. */
export function runOnTerminal(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  ...typed: readonly Typed[]
): Promise<TerminalResult> {
  return onTerminal(['node', 'dist/bundle/cli.js', ...words].join(' '), { env, typed });
}
