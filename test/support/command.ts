import { spawn, type ChildProcess } from 'node:child_process';
import { processEnvironment, ROOT } from './environment';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts a command of the built CLI as a separate process. Its stdout is a pipe, not a terminal. */
export function startCommand(env: NodeJS.ProcessEnv, ...words: readonly string[]): ChildProcess {
  // `npm run gateway` passes `--` too: without it, Node itself reads the file of an `--env-file`.
  return spawn('node', ['--', 'dist/bundle/cli.js', ...words], {
    cwd: ROOT,
    env: { ...processEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function runCommand(env: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<CommandResult> {
  const child = startCommand(env, ...words);
  const result: CommandResult = { code: null, stdout: '', stderr: '' };
  child.stdout!.on('data', (chunk: Buffer) => (result.stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (result.stderr += chunk.toString()));
  result.code = await new Promise((resolve) => child.once('close', resolve));
  return result;
}
