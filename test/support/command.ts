import { spawn, type ChildProcess } from 'node:child_process';
import { processEnvironment, ROOT } from './environment';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts a command of the built command line as a process of its own; stdout is a pipe, no terminal. */
export function startCommand(env: NodeJS.ProcessEnv, ...words: readonly string[]): ChildProcess {
  return spawn('node', ['dist/src/cli/main.js', ...words], {
    cwd: ROOT,
    env: { ...processEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command to its end. */
export async function runCommand(env: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<CommandResult> {
  const child = startCommand(env, ...words);
  const result: CommandResult = { code: null, stdout: '', stderr: '' };
  child.stdout!.on('data', (chunk: Buffer) => (result.stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (result.stderr += chunk.toString()));
  result.code = await new Promise((resolve) => child.once('close', resolve));
  return result;
}

/** The answer to a question that the command asks. */
export interface TerminalAnswer {
  question: RegExp;
  answer: string;
}

/** Runs a command on a terminal, which script(1) makes: `stdout` is what the terminal shows, stderr included. */
export async function runOnTerminal(
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  reply?: TerminalAnswer,
): Promise<Omit<CommandResult, 'stderr'>> {
  const command = ['node', 'dist/src/cli/main.js', ...words].join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: ROOT,
    env: { ...processEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const result: Omit<CommandResult, 'stderr'> = { code: null, stdout: '' };
  let isAnswered = false;
  child.stdout.on('data', (chunk: Buffer) => {
    result.stdout += chunk.toString();
    if (isAnswered || !reply?.question.test(result.stdout)) return;
    isAnswered = true;
    child.stdin.write(`${reply.answer}\n`);
  });
  result.code = await new Promise((resolve) => child.once('close', resolve));
  return result;
}
